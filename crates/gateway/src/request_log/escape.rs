//! Text of others as one column, or as one value within the query column.

use std::fmt::{self, Write};

/// The longest text of a client that is logged, in bytes before escaping; the rest is cut off.
pub(super) const LONGEST: usize = 1024;

/// A column: a space becomes `+`, as the format has it, what cannot be printed becomes `%XX`, and nothing becomes `-`.
pub(super) struct Column<'a>(pub(super) &'a str);

/// A value in the query column, where `;` ends a value too.
pub(super) struct Value<'a>(pub(super) &'a str);

impl fmt::Display for Column<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        escape(self.0, |_| false, f)
    }
}

impl fmt::Display for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        escape(self.0, |byte| byte == b';', f)
    }
}

fn escape(text: &str, special: impl Fn(u8) -> bool, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    if text.is_empty() {
        return f.write_str("-");
    }
    let bytes = text.as_bytes();
    let mut rest = bytes.get(..LONGEST).unwrap_or(bytes);
    while !rest.is_empty() {
        let plain = rest.iter().take_while(|byte| byte.is_ascii_graphic() && !special(**byte)).count();
        let (run, others) = rest.split_at(plain);
        f.write_str(str::from_utf8(run).unwrap_or_default())?;
        let Some((byte, behind)) = others.split_first() else { break };
        match byte {
            b' ' => f.write_char('+')?,
            _ => write!(f, "%{byte:02X}")?,
        }
        rest = behind;
    }
    Ok(())
}
