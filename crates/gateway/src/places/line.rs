//! A call in its owner's line, until its turn comes at the origin or it leaves (T23).

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;
use weir_throttle::fair::Ticket;
use weir_units::Tick;

use super::{Begin, Places};

/// What wakes a call that waits: it begins, in the moment in which a place is given back, and on the thread that gives it
/// back. An origin of ours never stands still so while its caller is being told.
pub(super) type Go = Box<dyn FnOnce() + Send>;

/// A call that waits in its owner's line; it leaves when this is dropped.
pub(crate) struct InLine {
    places: Arc<Places>,
    seat: Arc<Seat>,
}

/// What those share who wait for a call's turn and who bring it about.
struct Seat {
    state: Mutex<State>,
    changed: Notify,
}

enum State {
    /// It waits, and this begins it.
    Waits(Ticket, Begin),
    /// It has begun.
    Begun(Tick),
    /// Its turn came when it might not begin.
    SentBack(Begin),
    /// It has left.
    Left,
}

/// How a wait for a place has ended.
pub(crate) enum Turn {
    /// The call has begun at this moment.
    Begun(Tick),
    /// Its turn came when it might not begin; it has left the line.
    SentBack(Begin),
    /// Its turn did not come in time; it has left the line.
    TooLate(Begin),
}

impl Places {
    /// A call that waits with this ticket.
    pub(super) fn line_up(
        self: &Arc<Self>,
        ticket: Ticket,
        begin: Begin,
        may_begin: impl Fn() -> bool + Send + 'static,
    ) -> InLine {
        let seat = Arc::new(Seat { state: Mutex::new(State::Waits(ticket, begin)), changed: Notify::new() });
        let turn = {
            let (places, seat) = (Arc::clone(self), Arc::clone(&seat));
            move || places.turn_comes(&seat, &may_begin)
        };
        let mut turn: Option<Go> = Some(Box::new(turn));
        let runs = match &*seat.lock() {
            State::Waits(ticket, _) => {
                self.gate.look(ticket, || turn.take().unwrap_or_else(|| Box::new(|| ())))
            }
            State::Begun(_) | State::SentBack(_) | State::Left => false,
        };
        if let Some(turn) = turn.filter(|_| runs) {
            turn();
        }
        InLine { places: Arc::clone(self), seat }
    }

    /// The turn of the call of this seat has come; it begins, if it is still there and may.
    fn turn_comes(self: &Arc<Self>, seat: &Seat, may_begin: &impl Fn() -> bool) {
        let now = self.clock.tick();
        let mut state = seat.lock();
        match std::mem::replace(&mut *state, State::Left) {
            State::Waits(ticket, begin) if may_begin() => {
                *state = State::Begun(now);
                drop(state);
                begin(self.place(ticket));
            }
            State::Waits(ticket, begin) => {
                *state = State::SentBack(begin);
                drop(state);
                self.gate.leave(ticket, go, now);
            }
            other @ (State::Begun(_) | State::SentBack(_) | State::Left) => *state = other,
        }
        seat.changed.notify_one();
    }
}

impl InLine {
    /// Waits until the call's turn comes, at most until `until`.
    pub(crate) async fn wait(self, until: Tick) -> Turn {
        let clock = self.places.clock;
        tokio::select! {
            biased;
            () = self.seat.changed.notified() => {}
            () = clock.sleep_until(until) => {}
        }
        match self.leave() {
            State::Waits(ticket, begin) => {
                self.places.gate.leave(ticket, go, clock.tick());
                Turn::TooLate(begin)
            }
            State::SentBack(begin) => Turn::SentBack(begin),
            State::Begun(at) => Turn::Begun(at),
            // Nobody else leaves for it, and it leaves once.
            State::Left => Turn::Begun(clock.tick()),
        }
    }

    fn leave(&self) -> State {
        self.seat.replace(State::Left)
    }
}

impl Drop for InLine {
    fn drop(&mut self) {
        if let State::Waits(ticket, _) = self.leave() {
            self.places.gate.leave(ticket, go, self.places.clock.tick());
        }
    }
}

impl Seat {
    fn replace(&self, state: State) -> State {
        std::mem::replace(&mut *self.lock(), state)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Lets a call begin whose turn has come.
pub(super) fn go(go: Go) {
    go();
}
