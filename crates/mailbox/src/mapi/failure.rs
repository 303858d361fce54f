//! What went wrong in the store, as ROPs say it.

use rusqlite::ErrorCode as SqliteCode;
use weir_wire::mapi::error_code::ErrorCode;

use crate::server::Failure;

impl From<Failure> for ErrorCode {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Told(message) => of_message(message.code),
            Failure::Store(error) => of_store(&error),
        }
    }
}

fn of_message(code: &str) -> ErrorCode {
    match code {
        "ErrorItemNotFound" | "ErrorFolderNotFound" => ErrorCode::NOT_FOUND,
        "ErrorAccessDenied" | "ErrorDeleteDistinguishedFolder" => ErrorCode::ACCESS_DENIED,
        "ErrorSendAsDenied" => ErrorCode::SEND_AS_DENIED,
        "ErrorFolderExists" => ErrorCode::COLLIDING_NAMES,
        "ErrorInsufficientResources" => ErrorCode::OUT_OF_RESOURCES,
        // Outlook keeps what cannot be sent at the moment, and tries again.
        "ErrorSubmissionQuotaExceeded" => ErrorCode::SERVER_BUSY,
        "ErrorMimeContentInvalid" => ErrorCode::CORRUPT_DATA,
        "ErrorQuotaExceeded" => ErrorCode::QUOTA_EXCEEDED,
        "ErrorMessageSizeExceeded" => ErrorCode::MAX_SUBMISSION_EXCEEDED,
        "ErrorInvalidRecipients" => ErrorCode::NO_RECIPIENTS,
        "ErrorInvalidRestriction" | "ErrorUnsupportedPathForSortGroup" => ErrorCode::TOO_COMPLEX,
        "ErrorInvalidValueForProperty" => ErrorCode::BAD_VALUE,
        "ErrorInvalidPropertySet" | "ErrorInvalidPropertyDelete" => ErrorCode::COMPUTED_VALUE,
        _ => ErrorCode::GENERAL_FAILURE,
    }
}

fn of_store(error: &rusqlite::Error) -> ErrorCode {
    match error.sqlite_error_code() {
        Some(SqliteCode::DiskFull) => ErrorCode::OUT_OF_RESOURCES,
        Some(SqliteCode::DatabaseBusy | SqliteCode::DatabaseLocked) => ErrorCode::SERVER_BUSY,
        _ => {
            tracing::error!(%error, "the mailbox store failed");
            ErrorCode::GENERAL_FAILURE
        }
    }
}
