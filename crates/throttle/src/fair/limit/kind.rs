//! The two kinds of calls that are compared with one another alone (T23).

/// How a call's owner came to his turn.
///
/// Whoever uses less than his share goes first. So the fewer places there are, the more of those that run are his, and
/// where a flooder's calls are dearer a mean of all would tell how they are mixed and not how long they take.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kind {
    /// Its owner went first, since he uses less than his share.
    #[default]
    Light,
    /// Its owner had to take his turn, since he has always more to ask.
    Heavy,
}

/// One thing for calls of each kind.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ByKind<T> {
    pub(super) light: T,
    pub(super) heavy: T,
}

impl<T> ByKind<T> {
    pub(super) const fn of_mut(&mut self, kind: Kind) -> &mut T {
        match kind {
            Kind::Light => &mut self.light,
            Kind::Heavy => &mut self.heavy,
        }
    }

    pub(super) fn both(&self) -> [&T; 2] {
        [&self.light, &self.heavy]
    }

    pub(super) fn both_mut(&mut self) -> [&mut T; 2] {
        [&mut self.light, &mut self.heavy]
    }
}
