//! The mailweir program.
fn main() {}
