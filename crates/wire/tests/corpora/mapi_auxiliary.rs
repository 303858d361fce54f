//! What clients tell about themselves. An input is a whole auxiliary buffer, or the blocks of one.

use weir_wire::mapi::auxiliary::{self, Blocks, MAX_BLOCKS, MAX_TEXT, Reports, Told};
use weir_wire::mapi::payload::{Form, MAX_PAYLOAD, Payloads};

pub(crate) fn check(input: &[u8]) -> usize {
    let mut packed = Vec::new();
    Form { compressed: true, mixed: true }.write(input, true, &mut packed);
    for payload in Payloads::new(input).map_while(Result::ok) {
        check_blocks(&payload.bytes);
    }
    check_blocks(input.get(..MAX_PAYLOAD).unwrap_or(input));
    check_told(&auxiliary::told(input)) + check_told(&auxiliary::told(&packed))
}

/// Blocks that can be read are written to the same bytes.
fn check_blocks(payload: &[u8]) {
    let Ok(blocks) = Blocks::new(payload).collect::<Result<Vec<_>, _>>() else { return };
    let (mut written, mut plain) = (Vec::new(), Vec::new());
    auxiliary::write(&blocks, &mut written);
    if !blocks.is_empty() {
        Form::default().write(payload, true, &mut plain);
    }
    assert_eq!(written, plain);
}

/// What was told is short and printable, and can be told again.
fn check_told(told: &[Told]) -> usize {
    assert!(told.len() <= MAX_BLOCKS);
    for one in told {
        let mut reports = Reports::default();
        match one {
            Told::Process { name } => {
                check_text(name);
                reports.process(0, [0; 16], name);
            }
            Told::Client { machine, user, mode } => {
                check_text(machine);
                check_text(user);
                reports.client(machine, user, *mode);
            }
            // Reports tell of successful calls alone, to the mailbox, for which somebody waited.
            Told::Call(_) => continue,
        }
        assert_eq!(auxiliary::told(&reports.buffer()), std::slice::from_ref(one));
    }
    told.len()
}

fn check_text(text: &str) {
    assert!(text.chars().count() <= MAX_TEXT && !text.contains(char::is_control));
}
