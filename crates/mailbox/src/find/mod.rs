//! How finds are put to SQLite.
//!
//! Restrictions, sort orders and full-text queries become expressions with bound parameters: no value a client sends
//! is ever part of the SQL text. Folders are few and their restrictions are evaluated in memory; that evaluator is
//! also what the compiled form is tested against.

pub(crate) mod compile;
pub(crate) mod evaluate;
pub(crate) mod operand;
pub(crate) mod order;
pub(crate) mod page;
pub(crate) mod query;
