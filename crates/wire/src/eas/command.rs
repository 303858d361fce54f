//! The commands of the protocol (MS-ASHTTP, section 2.2.1.1.1.1.2).

use std::fmt;

/// What a request asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Command {
    /// Exchanges changes of items.
    Sync,
    /// Sends a message.
    SendMail,
    /// Forwards a message that the server holds.
    SmartForward,
    /// Answers a message that the server holds.
    SmartReply,
    /// Fetches an attachment.
    GetAttachment,
    /// Exchanges changes of folders.
    FolderSync,
    /// Makes a folder.
    FolderCreate,
    /// Removes a folder.
    FolderDelete,
    /// Moves or renames a folder.
    FolderUpdate,
    /// Moves items.
    MoveItems,
    /// Counts what a `Sync` would bring.
    GetItemEstimate,
    /// Answers an invitation.
    MeetingResponse,
    /// Searches mailbox and address list.
    Search,
    /// Reads and writes settings of the account.
    Settings,
    /// Waits for changes.
    Ping,
    /// Fetches and empties.
    ItemOperations,
    /// Fetches the policy that the device must keep.
    Provision,
    /// Looks people up.
    ResolveRecipients,
    /// Checks certificates.
    ValidateCert,
    /// Searches mailbox and address list, in version 16.1.
    Find,
    /// Any other, which only the origin may know.
    Other,
}

/// Every command that has a name and a code.
const TABLE: [(Command, &str, u8); 20] = [
    (Command::Sync, "Sync", 0),
    (Command::SendMail, "SendMail", 1),
    (Command::SmartForward, "SmartForward", 2),
    (Command::SmartReply, "SmartReply", 3),
    (Command::GetAttachment, "GetAttachment", 4),
    (Command::FolderSync, "FolderSync", 9),
    (Command::FolderCreate, "FolderCreate", 10),
    (Command::FolderDelete, "FolderDelete", 11),
    (Command::FolderUpdate, "FolderUpdate", 12),
    (Command::MoveItems, "MoveItems", 13),
    (Command::GetItemEstimate, "GetItemEstimate", 14),
    (Command::MeetingResponse, "MeetingResponse", 15),
    (Command::Search, "Search", 16),
    (Command::Settings, "Settings", 17),
    (Command::Ping, "Ping", 18),
    (Command::ItemOperations, "ItemOperations", 19),
    (Command::Provision, "Provision", 20),
    (Command::ResolveRecipients, "ResolveRecipients", 21),
    (Command::ValidateCert, "ValidateCert", 22),
    (Command::Find, "Find", 23),
];

impl Command {
    /// The command of that name, in any case.
    pub fn from_name(name: &str) -> Self {
        let known = TABLE.iter().find(|(_, known, _)| known.eq_ignore_ascii_case(name));
        known.map_or(Self::Other, |(command, _, _)| *command)
    }

    /// The command of that code in a base64-encoded query.
    pub fn from_code(code: u8) -> Self {
        let known = TABLE.iter().find(|(_, _, known)| *known == code);
        known.map_or(Self::Other, |(command, _, _)| *command)
    }

    /// The name as the protocol spells it; `Other` for any that is not known here.
    pub fn name(self) -> &'static str {
        TABLE.iter().find(|(command, _, _)| *command == self).map_or("Other", |(_, name, _)| name)
    }
}

impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
