//! Every ROP that a client may send, and what it is made of (MS-OXCROPS, sections 2.2.2 to 2.2.15).
//!
//! Each begins with three bytes: what it is, the logon, and a place in the table of handles. What follows is told by a
//! few kinds of field, in their order. Sizes alone matter here; what a field means is for whoever carries a ROP out.

#[cfg(test)]
mod tests;

use Field::{
    Babe, IfSet, IfZero, LogonKind, Name, Names, PerUser, Public, Recipients, Rows, Size16, Size32, Skip,
    Sorts, Text, Times, Values, Wide,
};

/// A field of a ROP, or several of fixed size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Field {
    /// That many bytes.
    Skip(usize),
    /// A count of two bytes, and as many fields of that many bytes.
    Times(usize),
    /// A size of two bytes, and as many bytes.
    Size16,
    /// A size of four bytes, and as many bytes.
    Size32,
    /// Text of one-byte characters up to its zero.
    Text,
    /// A byte that says whether names have two-byte characters.
    Wide,
    /// Text up to its zero, of characters as [`Field::Wide`] said.
    Name,
    /// A byte, and that many more unless it is 0.
    IfSet(usize),
    /// A byte, and that many more if it is 0.
    IfZero(usize),
    /// A size of two bytes, and that many more if it says that the size stands there.
    Babe(usize),
    /// Three counts of two bytes, and as many orders of five bytes as the first says.
    Sorts,
    /// Columns, and rows of recipients.
    Recipients,
    /// A count of two bytes, and as many names of properties.
    Names,
    /// A count of two bytes, and as many values with their tags.
    Values,
    /// A count of two bytes, and as many rows: a byte of flags, and [`Field::Values`].
    Rows,
    /// A byte whose lowest bit says whether the logon is to a mailbox, and not to public folders.
    LogonKind,
    /// That many bytes, where the logon is to public folders.
    Public(usize),
    /// An offset, sized data, and where the offset is 0 and the logon is to a mailbox 16 bytes more.
    PerUser,
}

/// What begins every ROP: its identifier, the logon, a handle.
pub(super) const HEAD: usize = 3;

pub(super) struct Row {
    pub(super) id: u8,
    pub(super) name: &'static str,
    pub(super) fields: &'static [Field],
}

const fn row(id: u8, name: &'static str, fields: &'static [Field]) -> Row {
    Row { id, name, fields }
}

/// The row of a ROP, if a client may send it.
pub(super) fn find(id: u8) -> Option<&'static Row> {
    TABLE.binary_search_by_key(&id, |row| row.id).ok().and_then(|place| TABLE.get(place))
}

/// By identifier. Where a ROP makes an object or acts on two, the second handle is the first byte skipped.
#[rustfmt::skip]
pub(super) const TABLE: &[Row] = &[
    row(0x01, "RopRelease", &[]),
    row(0x02, "RopOpenFolder", &[Skip(1 + 8 + 1)]),
    row(0x03, "RopOpenMessage", &[Skip(1 + 2 + 8 + 1 + 8)]),
    row(0x04, "RopGetHierarchyTable", &[Skip(1 + 1)]),
    row(0x05, "RopGetContentsTable", &[Skip(1 + 1)]),
    row(0x06, "RopCreateMessage", &[Skip(1 + 2 + 8 + 1)]),
    row(0x07, "RopGetPropertiesSpecific", &[Skip(2 + 2), Times(4)]),
    row(0x08, "RopGetPropertiesAll", &[Skip(2 + 2)]),
    row(0x09, "RopGetPropertiesList", &[]),
    row(0x0A, "RopSetProperties", &[Size16]),
    row(0x0B, "RopDeleteProperties", &[Times(4)]),
    row(0x0C, "RopSaveChangesMessage", &[Skip(1 + 1)]),
    row(0x0D, "RopRemoveAllRecipients", &[Skip(4)]),
    row(0x0E, "RopModifyRecipients", &[Recipients]),
    row(0x0F, "RopReadRecipients", &[Skip(4 + 2)]),
    row(0x10, "RopReloadCachedInformation", &[Skip(2)]),
    row(0x11, "RopSetMessageReadFlag", &[Skip(1 + 1), Public(24)]),
    row(0x12, "RopSetColumns", &[Skip(1), Times(4)]),
    row(0x13, "RopSortTable", &[Skip(1), Sorts]),
    row(0x14, "RopRestrict", &[Skip(1), Size16]),
    row(0x15, "RopQueryRows", &[Skip(1 + 1 + 2)]),
    row(0x16, "RopGetStatus", &[]),
    row(0x17, "RopQueryPosition", &[]),
    row(0x18, "RopSeekRow", &[Skip(1 + 4 + 1)]),
    row(0x19, "RopSeekRowBookmark", &[Size16, Skip(4 + 1)]),
    row(0x1A, "RopSeekRowFractional", &[Skip(4 + 4)]),
    row(0x1B, "RopCreateBookmark", &[]),
    row(0x1C, "RopCreateFolder", &[Skip(1 + 1), Wide, Skip(1 + 1), Name, Name]),
    row(0x1D, "RopDeleteFolder", &[Skip(1 + 8)]),
    row(0x1E, "RopDeleteMessages", &[Skip(1 + 1), Times(8)]),
    row(0x1F, "RopGetMessageStatus", &[Skip(8)]),
    row(0x20, "RopSetMessageStatus", &[Skip(8 + 4 + 4)]),
    row(0x21, "RopGetAttachmentTable", &[Skip(1 + 1)]),
    row(0x22, "RopOpenAttachment", &[Skip(1 + 1 + 4)]),
    row(0x23, "RopCreateAttachment", &[Skip(1)]),
    row(0x24, "RopDeleteAttachment", &[Skip(4)]),
    row(0x25, "RopSaveChangesAttachment", &[Skip(1 + 1)]),
    row(0x26, "RopSetReceiveFolder", &[Skip(8), Text]),
    row(0x27, "RopGetReceiveFolder", &[Text]),
    row(0x29, "RopRegisterNotification", &[Skip(1 + 1 + 1), IfZero(8 + 8)]),
    row(0x2B, "RopOpenStream", &[Skip(1 + 4 + 1)]),
    row(0x2C, "RopReadStream", &[Babe(4)]),
    row(0x2D, "RopWriteStream", &[Size16]),
    row(0x2E, "RopSeekStream", &[Skip(1 + 8)]),
    row(0x2F, "RopSetStreamSize", &[Skip(8)]),
    row(0x30, "RopSetSearchCriteria", &[Size16, Times(8), Skip(4)]),
    row(0x31, "RopGetSearchCriteria", &[Skip(1 + 1 + 1)]),
    row(0x32, "RopSubmitMessage", &[Skip(1)]),
    row(0x33, "RopMoveCopyMessages", &[Skip(1), Times(8), Skip(1 + 1)]),
    row(0x34, "RopAbortSubmit", &[Skip(8 + 8)]),
    row(0x35, "RopMoveFolder", &[Skip(1 + 1), Wide, Skip(8), Name]),
    row(0x36, "RopCopyFolder", &[Skip(1 + 1 + 1), Wide, Skip(8), Name]),
    row(0x37, "RopQueryColumnsAll", &[]),
    row(0x38, "RopAbort", &[]),
    row(0x39, "RopCopyTo", &[Skip(1 + 1 + 1 + 1), Times(4)]),
    row(0x3A, "RopCopyToStream", &[Skip(1 + 8)]),
    row(0x3B, "RopCloneStream", &[Skip(1)]),
    row(0x3E, "RopGetPermissionsTable", &[Skip(1 + 1)]),
    row(0x3F, "RopGetRulesTable", &[Skip(1 + 1)]),
    row(0x40, "RopModifyPermissions", &[Skip(1), Rows]),
    row(0x41, "RopModifyRules", &[Skip(1), Rows]),
    row(0x42, "RopGetOwningServers", &[Skip(8)]),
    row(0x43, "RopLongTermIdFromId", &[Skip(8)]),
    row(0x44, "RopIdFromLongTermId", &[Skip(24)]),
    row(0x45, "RopPublicFolderIsGhosted", &[Skip(8)]),
    row(0x46, "RopOpenEmbeddedMessage", &[Skip(1 + 2 + 1)]),
    row(0x47, "RopSetSpooler", &[]),
    row(0x48, "RopSpoolerLockMessage", &[Skip(8 + 1)]),
    row(0x49, "RopGetAddressTypes", &[]),
    row(0x4A, "RopTransportSend", &[]),
    row(0x4B, "RopFastTransferSourceCopyMessages", &[Skip(1), Times(8), Skip(1 + 1)]),
    row(0x4C, "RopFastTransferSourceCopyFolder", &[Skip(1 + 1 + 1)]),
    row(0x4D, "RopFastTransferSourceCopyTo", &[Skip(1 + 1 + 4 + 1), Times(4)]),
    row(0x4E, "RopFastTransferSourceGetBuffer", &[Babe(2)]),
    row(0x4F, "RopFindRow", &[Skip(1), Size16, Skip(1), Size16]),
    row(0x50, "RopProgress", &[Skip(1)]),
    row(0x51, "RopTransportNewMail", &[Skip(8 + 8), Text, Skip(4)]),
    row(0x52, "RopGetValidAttachments", &[]),
    row(0x53, "RopFastTransferDestinationConfigure", &[Skip(1 + 1 + 1)]),
    row(0x54, "RopFastTransferDestinationPutBuffer", &[Size16]),
    row(0x55, "RopGetNamesFromPropertyIds", &[Times(2)]),
    row(0x56, "RopGetPropertyIdsFromNames", &[Skip(1), Names]),
    row(0x57, "RopUpdateDeferredActionMessages", &[Size16, Size16]),
    row(0x58, "RopEmptyFolder", &[Skip(1 + 1)]),
    row(0x59, "RopExpandRow", &[Skip(2 + 8)]),
    row(0x5A, "RopCollapseRow", &[Skip(8)]),
    row(0x5B, "RopLockRegionStream", &[Skip(8 + 8 + 4)]),
    row(0x5C, "RopUnlockRegionStream", &[Skip(8 + 8 + 4)]),
    row(0x5D, "RopCommitStream", &[]),
    row(0x5E, "RopGetStreamSize", &[]),
    row(0x5F, "RopQueryNamedProperties", &[Skip(1), IfSet(16)]),
    row(0x60, "RopGetPerUserLongTermIds", &[Skip(16)]),
    row(0x61, "RopGetPerUserGuid", &[Skip(24)]),
    row(0x63, "RopReadPerUserInformation", &[Skip(24 + 1 + 4 + 2)]),
    row(0x64, "RopWritePerUserInformation", &[Skip(24 + 1), PerUser]),
    row(0x66, "RopSetReadFlags", &[Skip(1 + 1), Times(8)]),
    row(0x67, "RopCopyProperties", &[Skip(1 + 1 + 1), Times(4)]),
    row(0x68, "RopGetReceiveFolderTable", &[]),
    row(0x69, "RopFastTransferSourceCopyProperties", &[Skip(1 + 1 + 1 + 1), Times(4)]),
    row(0x6B, "RopGetCollapseState", &[Skip(8 + 4)]),
    row(0x6C, "RopSetCollapseState", &[Size16]),
    row(0x6D, "RopGetTransportFolder", &[]),
    row(0x6F, "RopOptionsData", &[Text, Skip(1)]),
    row(0x70, "RopSynchronizationConfigure", &[Skip(1 + 1 + 1 + 2), Size16, Skip(4), Times(4)]),
    row(0x72, "RopSynchronizationImportMessageChange", &[Skip(1 + 1), Values]),
    row(0x73, "RopSynchronizationImportHierarchyChange", &[Values, Values]),
    row(0x74, "RopSynchronizationImportDeletes", &[Skip(1), Values]),
    row(0x75, "RopSynchronizationUploadStateStreamBegin", &[Skip(4 + 4)]),
    row(0x76, "RopSynchronizationUploadStateStreamContinue", &[Size32]),
    row(0x77, "RopSynchronizationUploadStateStreamEnd", &[]),
    row(0x78, "RopSynchronizationImportMessageMove", &[Size32, Size32, Size32, Size32, Size32]),
    row(0x79, "RopSetPropertiesNoReplicate", &[Size16]),
    row(0x7A, "RopDeletePropertiesNoReplicate", &[Times(4)]),
    row(0x7B, "RopGetStoreState", &[]),
    row(0x7E, "RopSynchronizationOpenCollector", &[Skip(1 + 1)]),
    row(0x7F, "RopGetLocalReplicaIds", &[Skip(4)]),
    row(0x80, "RopSynchronizationImportReadStateChanges", &[Size16]),
    row(0x81, "RopResetTable", &[]),
    row(0x82, "RopSynchronizationGetTransferState", &[Skip(1)]),
    row(0x86, "RopTellVersion", &[Skip(2 + 2 + 2)]),
    row(0x89, "RopFreeBookmark", &[Size16]),
    row(0x90, "RopWriteAndCommitStream", &[Size16]),
    row(0x91, "RopHardDeleteMessages", &[Skip(1 + 1), Times(8)]),
    row(0x92, "RopHardDeleteMessagesAndSubfolders", &[Skip(1 + 1)]),
    row(0x93, "RopSetLocalReplicaMidsetDeleted", &[Size16]),
    row(0x9D, "RopFastTransferDestinationPutBufferExtended", &[Size16]),
    row(0xA3, "RopWriteStreamExtended", &[Size16]),
    row(0xFE, "RopLogon", &[LogonKind, Skip(4 + 4), Size16]),
];
