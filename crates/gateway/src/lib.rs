//! Client access: listeners, fronts, origins, settling and logging.
