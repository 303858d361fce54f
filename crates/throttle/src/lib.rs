//! Throttling policies and budgets as pure decisions.
