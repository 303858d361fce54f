//! A policy's row, read so that no content of it can hurt.
//!
//! The table can be changed by other hands (T15): the settings may be no JSON, no text at all, or endless. None of
//! this keeps the row from being listed or the chain from going on to its next step (T13).

use std::sync::Arc;

use rusqlite::Row;
use weir_throttle::Policy;

use crate::directory::StoredPolicy;
use crate::guid::Guid;

/// The longest settings that are read, in bytes; a policy that sets everything takes about a thirtieth of it.
pub const MAX_SETTINGS_BYTES: usize = 65_536;

/// What [`StoredPolicy::of_row`] reads, in this order and before any other column.
pub(crate) fn columns() -> String {
    format!(
        "policy.guid, policy.name,
         CASE WHEN octet_length(policy.settings) <= {MAX_SETTINGS_BYTES} THEN policy.settings END"
    )
}

impl StoredPolicy {
    pub(crate) fn of_row(row: &Row<'_>) -> rusqlite::Result<Self> {
        let lossy = |column| -> rusqlite::Result<String> {
            Ok(String::from_utf8_lossy(row.get_ref(column)?.as_bytes_or_null()?.unwrap_or_default())
                .into_owned())
        };
        let content = match row.get_ref(2)?.as_bytes_or_null()? {
            None => Err(format!("its settings are longer than {MAX_SETTINGS_BYTES} bytes")),
            Some(settings) => serde_json::from_slice::<Policy>(settings).map_err(|error| error.to_string()),
        };
        Ok(Self { guid: Guid::of_row(&lossy(0)?), name: lossy(1)?, content: content.map(Arc::new) })
    }
}
