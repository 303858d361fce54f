//! One history: a store on a simulated disk, and the model beside it.

use fastrand::Rng;
use weir_spool::{Change, Disk, Fault, Identity, Limits, MessageId, Simulated, State, Store};
use weir_units::WallTime;

use crate::model::{Model, Seen};

/// What may happen to the disk.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Weather {
    /// The power goes, or the process dies.
    pub(crate) crashes: bool,
    /// Operations fail, syncs among them; writes are short; the disk is full.
    pub(crate) errors: bool,
}

/// A history.
pub(crate) struct Run {
    pub(crate) disk: Simulated,
    pub(crate) store: Store<Simulated, u64>,
    pub(crate) model: Model,
    pub(crate) chance: Rng,
    weather: Weather,
    now: i64,
    seed: u64,
    /// The draft that is being written, and its body so far.
    draft: (u64, Vec<u8>),
}

/// Small, so that a short history fills several segments.
pub(crate) const LIMITS: Limits = Limits {
    disk_bytes: 96 << 10,
    segment_bytes: 4 << 10,
    messages: 60,
    drafts: 4,
    body_bytes: 16 << 10,
    envelope_bytes: 200,
    recipients: 5,
    state_bytes: 100,
    damaged_bytes: 32 << 10,
};

/// Who the spools are.
pub(crate) const WHO: Identity = Identity(0x5eed);

impl Run {
    pub(crate) fn new(seed: u64, weather: Weather) -> Self {
        let disk = Simulated::new(seed);
        if weather.errors && seed.is_multiple_of(2) {
            disk.set_short_writes(3);
        }
        let (store, _) = Store::open(disk.clone(), LIMITS, WHO).unwrap();
        let chance = Rng::with_seed(seed.wrapping_mul(31).wrapping_add(7));
        Self { disk, store, model: Model::default(), chance, weather, now: 0, seed, draft: (1, Vec::new()) }
    }

    /// So many steps, and then the end, at which everything is done and the disk empty.
    pub(crate) fn live(mut self, steps: u32) {
        for _ in 0..steps {
            self.step();
        }
        self.end();
    }

    /// True once in `count` times.
    pub(crate) fn one_in(&mut self, count: u64) -> bool {
        self.chance.u64(..count) == 0
    }

    /// So many bytes.
    fn bytes(&mut self, length: usize) -> Vec<u8> {
        let mut bytes = vec![0; length];
        self.chance.fill(&mut bytes);
        bytes
    }

    pub(crate) fn step(&mut self) {
        self.now += 1;
        match self.chance.u64(..24) {
            0..=2 => self.piece(),
            3..=8 => self.queue(),
            9..=13 => self.update(),
            14..=16 => self.commit(),
            17 => self.take_due(),
            18 => self.remind(),
            19 => self.look(),
            20 | 21 => self.sweep(),
            22 => self.trouble(),
            _ if self.weather.crashes && self.one_in(3) => self.crash(),
            _ => self.abandon(),
        }
        let usage = self.store.usage();
        assert!(usage.disk_bytes <= LIMITS.disk_bytes + 2 * u64::from(LIMITS.segment_bytes), "{usage:?}");
        assert!(usage.messages <= usage.messages_limit, "{usage:?}");
    }

    fn piece(&mut self) {
        let length = 1 + self.chance.usize(..3_000);
        let piece = self.bytes(length);
        match self.store.piece(self.draft.0, &piece) {
            Ok(()) => self.draft.1.extend_from_slice(&piece),
            Err(_) => self.abandon(),
        }
        self.take_answers();
    }

    fn abandon(&mut self) {
        self.store.abandon(self.draft.0);
        self.draft = (self.draft.0 + 1, Vec::new());
    }

    fn queue(&mut self) {
        let length = self.chance.usize(..1_500);
        let last = self.bytes(length);
        let tag = self.model.tag();
        let mut envelope = tag.to_le_bytes().to_vec();
        let length = self.chance.usize(..100);
        envelope.extend(self.bytes(length));
        let states: Vec<State> = (0..=self.chance.usize(..4)).map(|_| self.waiting_state()).collect();
        let next = (self.draft.0 + 1, Vec::new());
        let (key, mut body) = std::mem::replace(&mut self.draft, next);
        body.extend_from_slice(&last);
        let token = self.model.ask_queue(envelope.clone(), body, states.clone());
        self.store.queue(key, &last, &envelope, &states, token);
        self.take_answers();
    }

    fn waiting_state(&mut self) -> State {
        let at = self.now + i64::try_from(self.chance.u64(..40)).unwrap();
        let length = self.chance.usize(..50);
        State { due: Some(WallTime::from_unix_micros(at)), bytes: self.bytes(length) }
    }

    fn update(&mut self) {
        let Some(id) = self.any() else { return };
        let count = self.model.message(id).states.len();
        let all = self.one_in(3);
        let mut changes = Vec::new();
        for recipient in 0..count {
            if all || self.one_in(2) {
                let mut state = self.waiting_state();
                if all || self.one_in(2) {
                    state.due = None;
                }
                changes.push(Change { recipient: u32::try_from(recipient).unwrap(), state });
            }
        }
        self.ask_update(id, &changes);
    }

    fn ask_update(&mut self, id: MessageId, changes: &[Change]) {
        let token = self.model.ask_update(id, changes.to_vec());
        self.store.update(id, changes, token);
        self.take_answers();
    }

    fn any(&mut self) -> Option<MessageId> {
        let queued = self.model.queued();
        (!queued.is_empty()).then(|| queued[self.chance.usize(..queued.len())])
    }

    fn take_answers(&mut self) {
        for (token, answer) in self.store.take_results() {
            self.model.answer(token, answer);
        }
        assert_eq!(self.store.take_damage(), [], "nobody damaged anything");
    }

    fn commit(&mut self) {
        self.store.commit();
        self.take_answers();
    }

    fn sweep(&mut self) {
        let budget = self.chance.u64(..10_000);
        // Whether it went well shows in what is there.
        drop(self.store.sweep(budget));
        self.take_answers();
    }

    fn take_due(&mut self) {
        let (most, now) = (self.chance.usize(..8), WallTime::from_unix_micros(self.now));
        assert_eq!(self.store.take_due(most, now), self.model.take_due(most, now));
    }

    fn remind(&mut self) {
        let Some(id) = self.any() else { return };
        let count = u64::try_from(self.model.message(id).states.len()).unwrap();
        let recipient = u32::try_from(self.chance.u64(..count)).unwrap();
        let at = WallTime::from_unix_micros(self.now + 5);
        self.store.remind(id, &[recipient], at);
        self.model.remind(id, recipient, at);
    }

    /// Reads a message while the store goes on.
    fn look(&mut self) {
        let Some(id) = self.any() else { return };
        let Ok(seen) = self.read(id) else { return };
        let message = self.model.message(id);
        assert_eq!((seen.envelope, seen.states), (message.envelope.clone(), message.states.clone()));
        assert!(seen.body == message.body, "the body of {id}");
    }

    fn trouble(&mut self) {
        let at = self.disk.operations() + 1 + self.chance.u64(..12);
        if self.weather.crashes && self.one_in(2) {
            self.disk.inject(at, Fault::Crash);
        } else if self.weather.errors {
            match self.chance.u64(..4) {
                0 => self.disk.set_capacity(LIMITS.disk_bytes / 3),
                1 => self.disk.set_capacity(u64::MAX),
                _ => self.disk.inject(at, Fault::Error),
            }
        }
    }

    /// The machine stops and starts; once in a while it stops again while the queue is read.
    fn crash(&mut self) {
        let power_cut = self.one_in(2);
        self.disk.restart(power_cut);
        if self.one_in(3) {
            self.disk.inject(self.disk.operations() + 1 + self.chance.u64(..40), Fault::Crash);
        }
        self.reopen(power_cut);
    }

    fn reopen(&mut self, power_cut: bool) {
        self.draft = (self.draft.0 + 1, Vec::new());
        for _ in 0..10 {
            let Ok((store, recovery)) = Store::open(self.disk.clone(), LIMITS, WHO) else {
                self.disk.restart(power_cut);
                continue;
            };
            assert_eq!(recovery.damaged_places, 0, "nobody damaged anything: {recovery:?}");
            self.store = store;
            if let Some(seen) = self.see() {
                return self.model.recover(&seen);
            }
            self.disk.restart(power_cut);
        }
        panic!("the queue cannot be opened");
    }

    /// Everything that is in the queue; nothing where the disk stops meanwhile.
    pub(crate) fn see(&self) -> Option<Vec<Seen>> {
        self.store.ids_after(None, usize::MAX).into_iter().map(|id| self.read(id).ok()).collect()
    }

    pub(crate) fn read(&self, id: MessageId) -> Result<Seen, weir_spool::SpoolError> {
        let mut stored = self.store.locate(id).unwrap().read()?;
        let mut body = Vec::new();
        while let Some(piece) = stored.body.next_piece()? {
            body.extend_from_slice(&piece);
        }
        Ok(Seen { id, envelope: stored.envelope, states: stored.recipients, body })
    }

    /// All faults are over: everything can be done, and leaves nothing behind.
    fn end(&mut self) {
        self.disk.forget_faults();
        self.disk.set_capacity(u64::MAX);
        let power_cut = self.weather.crashes && self.one_in(2);
        self.disk.restart(power_cut);
        self.reopen(false);
        for id in self.model.queued() {
            let count = u32::try_from(self.model.message(id).states.len()).unwrap();
            let done = |recipient| Change { recipient, state: State { due: None, bytes: Vec::new() } };
            self.ask_update(id, &(0..count).map(done).collect::<Vec<_>>());
            self.commit();
            self.store.sweep(1 << 20).unwrap();
        }
        self.abandon();
        self.store.sweep(1 << 20).unwrap();
        assert_eq!(self.model.queued(), []);
        let usage = self.store.usage();
        assert_eq!((usage.messages, usage.bytes, usage.segments), (0, 0, 1), "{usage:?}");
        let is_segment = |name: &&String| !name.contains("damaged");
        assert_eq!(self.disk.names().unwrap().iter().filter(is_segment).count(), 1);
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("it was the history of seed {}", self.seed);
        }
    }
}
