//! The atomics and the lock that budgets are made of; loom's own where a test explores their interleavings.

#[cfg(loom)]
pub(crate) use loom::{
    sync::{
        Mutex, MutexGuard,
        atomic::{AtomicU32, AtomicU64, Ordering, fence},
    },
    thread::yield_now as breathe,
};
#[cfg(not(loom))]
pub(crate) use std::{
    hint::spin_loop as breathe,
    sync::{
        Mutex, MutexGuard,
        atomic::{AtomicU32, AtomicU64, Ordering, fence},
    },
};
