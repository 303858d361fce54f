//! A queue whose files somebody has damaged.

use fastrand::Rng;
use weir_spool::{Change, Disk, Measure, SpoolError, State, Store};

use crate::run::{LIMITS, Run, WHO, Weather};

/// Fills a queue, damages its files, and goes on with it.
pub(crate) fn live_with_damage(seed: u64) {
    let mut run = Run::new(seed, Weather { crashes: false, errors: false });
    for _ in 0..20 + run.chance.usize(..80) {
        run.step();
    }
    // Not all are damaged behind a last commit: what is torn off is another matter.
    if run.one_in(2) {
        run.store.commit();
        for (token, answer) in run.store.take_results() {
            run.model.answer(token, answer);
        }
    }
    let mut names: Vec<String> = run.disk.names().unwrap();
    names.sort();
    for _ in 0..=run.chance.usize(..3) {
        let name = &names[run.chance.usize(..names.len())];
        let damaged = damaged(&mut run.chance, run.disk.content(name).unwrap());
        run.disk.overwrite(name, &damaged);
    }
    for _ in 0..2 {
        run.disk.restart(false);
        let (store, _) = Store::open(run.disk.clone(), LIMITS, WHO).unwrap();
        run.store = store;
        nothing_is_invented(&mut run);
        finish_some(&mut run);
    }
}

fn damaged(chance: &mut Rng, mut content: Vec<u8>) -> Vec<u8> {
    let at = chance.usize(..=content.len());
    let end = (at + 1 + chance.usize(..400)).min(content.len());
    match chance.u64(..5) {
        0 => content.truncate(at),
        1 => content.get_mut(at..end).unwrap_or_default().fill(0),
        2 => {
            let mut noise = [0; 300];
            chance.fill(&mut noise);
            content.extend(noise);
        }
        3 => {
            // Records that stand where they were not written.
            let moved = content.get(at..end).unwrap_or_default().to_vec();
            let place = chance.usize(..=content.len());
            content.splice(place..place, moved);
        }
        _ => {
            if let Some(byte) = content.get_mut(at) {
                *byte ^= 1 << chance.u64(..8);
            }
        }
    }
    content
}

/// What is there was queued, and is as it was at some time, or says that it is damaged.
fn nothing_is_invented(run: &mut Run) {
    for id in run.store.ids_after(None, usize::MAX) {
        match run.read(id) {
            Ok(seen) => {
                let message = run.model.messages.iter().find(|message| message.envelope == seen.envelope);
                let message = message.unwrap_or_else(|| panic!("nobody queued {seen:?}"));
                assert!(message.id.is_none_or(|known| known == id), "{:?} is {id}", message.id);
                assert!(message.body == seen.body, "the body of {id}");
                for (recipient, state) in seen.states.iter().enumerate() {
                    let was =
                        state.due.is_none() || message.past.iter().any(|past| past[recipient] == *state);
                    assert!(was, "recipient {recipient} of {id} never was {state:?}");
                }
            }
            Err(SpoolError::Damaged { what: Measure::Body | Measure::Envelope, .. }) => {}
            Err(error) => panic!("{error}"),
        }
    }
}

fn finish_some(run: &mut Run) {
    for id in run.store.ids_after(None, usize::MAX) {
        if run.one_in(2) {
            let done = State { due: None, bytes: Vec::new() };
            run.store.update(id, &[Change { recipient: 0, state: done }], 0);
        }
        // A step of its own, so that what is damaged is met while it is copied.
        run.store.sweep(1 << 20).unwrap();
    }
    drop(run.store.take_results());
    drop(run.store.take_damage());
}
