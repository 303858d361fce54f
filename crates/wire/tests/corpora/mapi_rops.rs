//! ROPs of requests. An input is a whole ROP buffer, or one payload of it.

use weir_units::Millis;
use weir_wire::mapi::body::{Answer, Executed};
use weir_wire::mapi::payload::{Form, MAX_PAYLOAD, MAX_PAYLOADS, Payloads};
use weir_wire::mapi::rop::{Backoff, Logons, MAX_HANDLES, MAX_ROPS, Rop, RopBuffer, Tally, back_off};
use weir_wire::mapi::{Call, Malformed};

const DELAY: Millis = Millis::new(40);

/// The longest answer that makes a client wait: a back-off of 9 bytes for each logon, all handles, and what is fixed.
const LONGEST_REFUSAL: usize = 256 * 9 + MAX_HANDLES * 4 + 64;

pub(crate) fn check(input: &[u8]) -> usize {
    check_buffer(input) + check_payload(input.get(..MAX_PAYLOAD).unwrap_or(input))
}

/// Gives how many ROPs are typed.
fn check_buffer(buffer: &[u8]) -> usize {
    let payloads: Vec<_> = Payloads::new(buffer).collect();
    // The error that ends a chain which is too long.
    assert!(payloads.len() <= MAX_PAYLOADS + 1);
    check_refusal(buffer);
    let payloads = payloads.iter().flatten();
    payloads
        .map(|payload| {
            check_form(&payload.bytes, payload.form);
            check_list(&payload.bytes)
        })
        .sum()
}

/// A payload means the same however it is packed.
fn check_payload(payload: &[u8]) -> usize {
    for (compressed, mixed) in [(false, false), (false, true), (true, false), (true, true)] {
        check_form(payload, Form { compressed, mixed });
    }
    check_list(payload)
}

/// What is packed is unpacked to the same bytes, and its ROPs are counted.
fn check_form(payload: &[u8], form: Form) {
    assert!(payload.len() <= MAX_PAYLOAD);
    let mut packed = Vec::new();
    form.write(payload, true, &mut packed);
    let unpacked = Payloads::new(&packed).next();
    assert_eq!(unpacked.map(|payload| payload.map(|payload| payload.bytes)), Some(Ok(payload.into())));
    let counted = RopBuffer::read(payload)
        .map(|buffer| buffer.rops(Logons::default()).take(MAX_ROPS.into()).count().try_into());
    assert_eq!(Tally::of(&packed, Logons::default()).map(|tally| Ok(tally.rops())), counted);
    check_refusal(&packed);
}

/// What can be counted can be refused, for each logon that it names.
fn check_refusal(buffer: &[u8]) {
    let tally = Tally::of(buffer, Logons::default());
    let refusal = back_off(buffer, Logons::default(), DELAY);
    let (Ok(tally), Ok(refusal)) = (&tally, &refusal) else {
        assert_eq!(tally.err(), refusal.err());
        return;
    };
    assert!(tally.releases() <= tally.rops() && tally.rops() <= MAX_ROPS.into());
    assert!(refusal.len() <= LONGEST_REFUSAL);
    let expected = tally.named().iter().map(|logon| Backoff::logon(logon, DELAY)).collect();
    assert_eq!(back_offs(refusal), Some(expected));
}

/// Those of an answer that has nothing else.
fn back_offs(answer: &[u8]) -> Option<Vec<Backoff>> {
    let Ok(Answer::Done(executed)) = Answer::<Executed<'_>>::read(answer) else { return None };
    let payload = Payloads::new(executed.rops).next()?.ok()?;
    let mut list = RopBuffer::read(&payload.bytes).ok()?.list();
    let mut back_offs = Vec::new();
    while !list.is_empty() {
        let (back_off, rest) = Backoff::read(list).ok()??;
        back_offs.push(back_off);
        list = rest;
    }
    Some(back_offs)
}

/// A list and its handles are written to the same bytes, and its ROPs stand in it one after the other.
fn check_list(payload: &[u8]) -> usize {
    let Ok(buffer) = RopBuffer::read(payload) else { return 0 };
    let mut written = Vec::new();
    RopBuffer::write(buffer.list(), buffer.handles(), &mut written);
    assert_eq!(written, payload);
    let (mut rops, mut list, mut typed) = (buffer.rops(Logons::default()), buffer.list(), 0);
    loop {
        let logons = rops.logons();
        let Some(Ok(rop)) = rops.next() else { break };
        list = list.strip_prefix(rop.bytes).unwrap();
        typed += usize::from(check_rop(&rop, logons));
    }
    typed
}

/// A ROP that can be read is written, measured and read as the same.
fn check_rop(rop: &Rop<'_>, logons: Logons) -> bool {
    let Ok(call) = Call::read(rop) else { return false };
    let written = written(&call, rop.logon);
    // The names of properties may lack their zero, and are given one.
    assert!(written.len() <= 2 * rop.bytes.len());
    let again = read_one(&written, logons).unwrap();
    // A floating-point number that is none is not equal to itself.
    assert!(again == call || format!("{again:?}") == format!("{call:?}"), "{call:?} became {again:?}");
    assert_eq!(self::written(&again, rop.logon), written);
    true
}

fn written(call: &Call, logon: u8) -> Vec<u8> {
    let mut list = Vec::new();
    call.write(logon, &mut list);
    list
}

/// Reads a list of one ROP.
fn read_one(list: &[u8], logons: Logons) -> Result<Call, Malformed> {
    let mut payload = Vec::new();
    RopBuffer::write(list, [].into_iter(), &mut payload);
    let mut rops = RopBuffer::read(&payload)?.rops(logons);
    let rop = rops.next().ok_or(Malformed::Ends("a list of one"))??;
    assert!(rops.next().is_none());
    Call::read(&rop)
}
