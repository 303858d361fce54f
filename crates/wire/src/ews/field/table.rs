//! The rows of the table of fields.
//!
//! One line a field: its constant, its `FieldURI`, the kinds that have it, what its values look like, and what it may
//! be used for. The order is the order of writing. Long because the protocol has that many fields.

use super::super::property::ItemKind;
use super::uses::{ALL, DEFAULT, FIND, SET};
use super::{Field, Spec, ValueKind};

const PLAIN: u16 = 1;
const MESSAGE: u16 = 1 << 1;
const CALENDAR: u16 = 1 << 2;
const CONTACT: u16 = 1 << 3;
const LIST: u16 = 1 << 4;
const TASK: u16 = 1 << 5;
const POST: u16 = 1 << 6;
const MEETING_MESSAGE: u16 = 1 << 7;
const MEETING_REQUEST: u16 = 1 << 8;
const MEETING_RESPONSE: u16 = 1 << 9;
const MEETING_CANCELLATION: u16 = 1 << 10;
/// Folders of every kind.
pub(super) const FOLDER: u16 = 1 << 11;

/// Messages that ask to a meeting, answer or call it off.
const MEETING: u16 = MEETING_MESSAGE | MEETING_REQUEST | MEETING_RESPONSE | MEETING_CANCELLATION;
/// Those of them that carry the time of the meeting.
const MEETING_TIMED: u16 = MEETING_REQUEST | MEETING_RESPONSE | MEETING_CANCELLATION;
/// Everything that is sent and received.
const MAIL: u16 = MESSAGE | MEETING;
/// Everything that is no folder.
const ANY_ITEM: u16 = FOLDER - 1;

/// The bit of a kind of item.
pub(super) const fn kind_bit(kind: ItemKind) -> u16 {
    match kind {
        ItemKind::Item => PLAIN,
        ItemKind::Message => MESSAGE,
        ItemKind::CalendarItem => CALENDAR,
        ItemKind::Contact => CONTACT,
        ItemKind::DistributionList => LIST,
        ItemKind::Task => TASK,
        ItemKind::PostItem => POST,
        ItemKind::MeetingMessage => MEETING_MESSAGE,
        ItemKind::MeetingRequest => MEETING_REQUEST,
        ItemKind::MeetingResponse => MEETING_RESPONSE,
        ItemKind::MeetingCancellation => MEETING_CANCELLATION,
    }
}

macro_rules! fields {
    ($($name:ident $uri:literal ($kinds:expr) $value:ident ($uses:expr);)*) => {
        /// Counts the rows.
        #[allow(non_camel_case_types, clippy::upper_case_acronyms, reason = "spelled like the constants")]
        #[repr(u16)]
        enum Row { $($name),* }

        #[allow(clippy::as_conversions, reason = "the discriminant of a `repr(u16)` enumeration")]
        impl Field {
            $(
                #[doc = concat!("`", $uri, "`.")]
                pub const $name: Self = Self(Row::$name as u16);
            )*
        }

        /// Every field, in the order of writing.
        pub(super) static TABLE: &[Spec] = &[
            $(Spec { uri: $uri, kinds: $kinds, value: ValueKind::$value, uses: $uses }),*
        ];
    };
}

fields! {
    MIME_CONTENT "item:MimeContent" (ANY_ITEM) Bytes (SET);
    ITEM_ID "item:ItemId" (ANY_ITEM) ItemId (DEFAULT | ALL | FIND);
    PARENT_FOLDER_ID "item:ParentFolderId" (ANY_ITEM) FolderId (ALL | FIND);
    ITEM_CLASS "item:ItemClass" (ANY_ITEM) Text (ALL | FIND | SET);
    SUBJECT "item:Subject" (ANY_ITEM) Text (DEFAULT | ALL | FIND | SET);
    SENSITIVITY "item:Sensitivity" (ANY_ITEM) Text (DEFAULT | ALL | FIND | SET);
    BODY "item:Body" (ANY_ITEM) Body (DEFAULT | ALL | SET);
    ATTACHMENTS "item:Attachments" (ANY_ITEM) Xml (DEFAULT | ALL | SET);
    DATE_TIME_RECEIVED "item:DateTimeReceived" (ANY_ITEM) Time (ALL | FIND);
    SIZE "item:Size" (ANY_ITEM) Integer (DEFAULT | ALL | FIND);
    CATEGORIES "item:Categories" (ANY_ITEM) Texts (ALL | FIND | SET);
    IMPORTANCE "item:Importance" (ANY_ITEM) Text (ALL | FIND | SET);
    IN_REPLY_TO "item:InReplyTo" (ANY_ITEM) Text (ALL | FIND | SET);
    IS_SUBMITTED "item:IsSubmitted" (ANY_ITEM) Bool (ALL | FIND);
    IS_DRAFT "item:IsDraft" (ANY_ITEM) Bool (ALL | FIND);
    IS_FROM_ME "item:IsFromMe" (ANY_ITEM) Bool (ALL | FIND);
    IS_RESEND "item:IsResend" (ANY_ITEM) Bool (ALL | FIND);
    IS_UNMODIFIED "item:IsUnmodified" (ANY_ITEM) Bool (ALL | FIND);
    INTERNET_MESSAGE_HEADERS "item:InternetMessageHeaders" (ANY_ITEM) Headers (ALL);
    DATE_TIME_SENT "item:DateTimeSent" (ANY_ITEM) Time (DEFAULT | ALL | FIND);
    DATE_TIME_CREATED "item:DateTimeCreated" (ANY_ITEM) Time (DEFAULT | ALL | FIND);
    RESPONSE_OBJECTS "item:ResponseObjects" (ANY_ITEM) Xml (DEFAULT | ALL);
    REMINDER_DUE_BY "item:ReminderDueBy" (ANY_ITEM) Time (ALL | FIND | SET);
    REMINDER_IS_SET "item:ReminderIsSet" (ANY_ITEM) Bool (ALL | FIND | SET);
    REMINDER_NEXT_TIME "item:ReminderNextTime" (ANY_ITEM) Time (FIND);
    REMINDER_MINUTES_BEFORE_START "item:ReminderMinutesBeforeStart" (ANY_ITEM) Integer (ALL | FIND | SET);
    DISPLAY_CC "item:DisplayCc" (ANY_ITEM) Text (ALL | FIND);
    DISPLAY_TO "item:DisplayTo" (ANY_ITEM) Text (ALL | FIND);
    HAS_ATTACHMENTS "item:HasAttachments" (ANY_ITEM) Bool (DEFAULT | ALL | FIND);
    CULTURE "item:Culture" (ANY_ITEM) Text (ALL | FIND | SET);
    EFFECTIVE_RIGHTS "item:EffectiveRights" (ANY_ITEM) Xml (ALL);
    LAST_MODIFIED_NAME "item:LastModifiedName" (ANY_ITEM) Text (ALL | FIND);
    LAST_MODIFIED_TIME "item:LastModifiedTime" (ANY_ITEM) Time (ALL | FIND);
    IS_ASSOCIATED "item:IsAssociated" (ANY_ITEM) Bool (ALL | FIND);
    WEB_CLIENT_READ_FORM_QUERY_STRING "item:WebClientReadFormQueryString" (ANY_ITEM) Text (ALL);
    WEB_CLIENT_EDIT_FORM_QUERY_STRING "item:WebClientEditFormQueryString" (ANY_ITEM) Text (ALL);
    CONVERSATION_ID "item:ConversationId" (ANY_ITEM) ItemId (ALL | FIND);
    UNIQUE_BODY "item:UniqueBody" (ANY_ITEM) Body (0);
    FLAG "item:Flag" (ANY_ITEM) Xml (FIND | SET);
    STORE_ENTRY_ID "item:StoreEntryId" (ANY_ITEM) Text (0);
    INSTANCE_KEY "item:InstanceKey" (ANY_ITEM) Text (FIND);
    NORMALIZED_BODY "item:NormalizedBody" (ANY_ITEM) Body (0);
    ENTITY_EXTRACTION_RESULT "item:EntityExtractionResult" (ANY_ITEM) Xml (0);
    POLICY_TAG "item:PolicyTag" (ANY_ITEM) Xml (FIND);
    ARCHIVE_TAG "item:ArchiveTag" (ANY_ITEM) Xml (FIND);
    RETENTION_DATE "item:RetentionDate" (ANY_ITEM) Time (FIND);
    PREVIEW "item:Preview" (ANY_ITEM) Text (FIND);
    TEXT_BODY "item:TextBody" (ANY_ITEM) Body (0);
    ICON_INDEX "item:IconIndex" (ANY_ITEM) Text (FIND);
    SENDER "message:Sender" (MAIL | POST) Mailbox (DEFAULT | ALL | FIND | SET);
    TO_RECIPIENTS "message:ToRecipients" (MAIL) Mailboxes (DEFAULT | ALL | SET);
    CC_RECIPIENTS "message:CcRecipients" (MAIL) Mailboxes (DEFAULT | ALL | SET);
    BCC_RECIPIENTS "message:BccRecipients" (MAIL) Mailboxes (DEFAULT | ALL | SET);
    IS_READ_RECEIPT_REQUESTED "message:IsReadReceiptRequested" (MAIL) Bool (DEFAULT | ALL | FIND | SET);
    IS_DELIVERY_RECEIPT_REQUESTED "message:IsDeliveryReceiptRequested" (MAIL) Bool (DEFAULT | ALL | FIND | SET);
    CONVERSATION_INDEX "message:ConversationIndex" (MAIL | POST) Bytes (ALL | FIND);
    CONVERSATION_TOPIC "message:ConversationTopic" (MAIL | POST) Text (ALL | FIND);
    FROM "message:From" (MAIL | POST) Mailbox (DEFAULT | ALL | FIND | SET);
    INTERNET_MESSAGE_ID "message:InternetMessageId" (MAIL | POST) Text (ALL | FIND | SET);
    IS_READ "message:IsRead" (MAIL | POST) Bool (DEFAULT | ALL | FIND | SET);
    POST_POSTED_TIME "postitem:PostedTime" (POST) Time (ALL | FIND);
    IS_RESPONSE_REQUESTED "message:IsResponseRequested" (MAIL) Bool (DEFAULT | ALL | FIND | SET);
    REFERENCES "message:References" (MAIL | POST) Text (ALL | FIND | SET);
    REPLY_TO "message:ReplyTo" (MAIL) Mailboxes (ALL | SET);
    RECEIVED_BY "message:ReceivedBy" (MAIL) Mailbox (ALL | FIND);
    RECEIVED_REPRESENTING "message:ReceivedRepresenting" (MAIL) Mailbox (ALL | FIND);
    REMINDER_MESSAGE_DATA "message:ReminderMessageData" (MAIL) Xml (0);
    APPROVAL_REQUEST_DATA "message:ApprovalRequestData" (MAIL) Xml (0);
    VOTING_INFORMATION "message:VotingInformation" (MAIL) Xml (0);
    MEETING_ASSOCIATED_CALENDAR_ITEM_ID "meeting:AssociatedCalendarItemId" (MEETING) ItemId (DEFAULT | ALL | FIND);
    MEETING_IS_DELEGATED "meeting:IsDelegated" (MEETING) Bool (ALL | FIND);
    MEETING_IS_OUT_OF_DATE "meeting:IsOutOfDate" (MEETING) Bool (ALL | FIND);
    MEETING_HAS_BEEN_PROCESSED "meeting:HasBeenProcessed" (MEETING) Bool (ALL | FIND);
    MEETING_RESPONSE_TYPE "meeting:ResponseType" (MEETING) Text (DEFAULT | ALL | FIND);
    UID "calendar:UID" (CALENDAR | MEETING) Text (ALL | FIND | SET);
    RECURRENCE_ID "calendar:RecurrenceId" (CALENDAR | MEETING) Time (ALL | FIND);
    DATE_TIME_STAMP "calendar:DateTimeStamp" (CALENDAR | MEETING) Time (ALL | FIND);
    MEETING_REQUEST_TYPE "meetingRequest:MeetingRequestType" (MEETING_REQUEST) Text (ALL | FIND);
    MEETING_REQUEST_INTENDED_FREE_BUSY_STATUS "meetingRequest:IntendedFreeBusyStatus" (MEETING_REQUEST) Text (ALL | FIND);
    START "calendar:Start" (CALENDAR | MEETING_TIMED) Time (DEFAULT | ALL | FIND | SET);
    END "calendar:End" (CALENDAR | MEETING_TIMED) Time (DEFAULT | ALL | FIND | SET);
    ORIGINAL_START "calendar:OriginalStart" (CALENDAR | MEETING_REQUEST) Time (ALL | FIND);
    IS_ALL_DAY_EVENT "calendar:IsAllDayEvent" (CALENDAR | MEETING_REQUEST) Bool (ALL | FIND | SET);
    LEGACY_FREE_BUSY_STATUS "calendar:LegacyFreeBusyStatus" (CALENDAR | MEETING_REQUEST) Text (DEFAULT | ALL | FIND | SET);
    LOCATION "calendar:Location" (CALENDAR | MEETING_TIMED) Text (DEFAULT | ALL | FIND | SET);
    WHEN "calendar:When" (CALENDAR | MEETING_REQUEST) Text (ALL | FIND | SET);
    IS_MEETING "calendar:IsMeeting" (CALENDAR | MEETING_REQUEST) Bool (ALL | FIND);
    IS_CANCELLED "calendar:IsCancelled" (CALENDAR | MEETING_REQUEST) Bool (ALL | FIND);
    IS_RECURRING "calendar:IsRecurring" (CALENDAR | MEETING_REQUEST) Bool (ALL | FIND);
    MEETING_REQUEST_WAS_SENT "calendar:MeetingRequestWasSent" (CALENDAR | MEETING_REQUEST) Bool (ALL | FIND);
    CALENDAR_IS_RESPONSE_REQUESTED "calendar:IsResponseRequested" (CALENDAR) Bool (ALL | FIND | SET);
    CALENDAR_ITEM_TYPE "calendar:CalendarItemType" (CALENDAR | MEETING_TIMED) Text (DEFAULT | ALL | FIND);
    MY_RESPONSE_TYPE "calendar:MyResponseType" (CALENDAR | MEETING_REQUEST) Text (ALL | FIND);
    ORGANIZER "calendar:Organizer" (CALENDAR | MEETING_REQUEST) Mailbox (DEFAULT | ALL | FIND);
    REQUIRED_ATTENDEES "calendar:RequiredAttendees" (CALENDAR | MEETING_REQUEST) Attendees (DEFAULT | ALL | SET);
    OPTIONAL_ATTENDEES "calendar:OptionalAttendees" (CALENDAR | MEETING_REQUEST) Attendees (DEFAULT | ALL | SET);
    RESOURCES "calendar:Resources" (CALENDAR | MEETING_REQUEST) Attendees (DEFAULT | ALL | SET);
    CONFLICTING_MEETING_COUNT "calendar:ConflictingMeetingCount" (CALENDAR | MEETING_REQUEST) Integer (ALL);
    ADJACENT_MEETING_COUNT "calendar:AdjacentMeetingCount" (CALENDAR | MEETING_REQUEST) Integer (ALL);
    CONFLICTING_MEETINGS "calendar:ConflictingMeetings" (CALENDAR | MEETING_REQUEST) Xml (ALL);
    ADJACENT_MEETINGS "calendar:AdjacentMeetings" (CALENDAR | MEETING_REQUEST) Xml (ALL);
    DURATION "calendar:Duration" (CALENDAR | MEETING_REQUEST) Text (ALL | FIND);
    TIME_ZONE "calendar:TimeZone" (CALENDAR | MEETING_REQUEST) Text (ALL | FIND);
    APPOINTMENT_REPLY_TIME "calendar:AppointmentReplyTime" (CALENDAR | MEETING_REQUEST) Time (ALL | FIND);
    APPOINTMENT_SEQUENCE_NUMBER "calendar:AppointmentSequenceNumber" (CALENDAR | MEETING_REQUEST) Integer (ALL | FIND);
    APPOINTMENT_STATE "calendar:AppointmentState" (CALENDAR | MEETING_REQUEST) Integer (ALL | FIND);
    RECURRENCE "calendar:Recurrence" (CALENDAR | MEETING_REQUEST) Xml (ALL | SET);
    FIRST_OCCURRENCE "calendar:FirstOccurrence" (CALENDAR | MEETING_REQUEST) Xml (ALL);
    LAST_OCCURRENCE "calendar:LastOccurrence" (CALENDAR | MEETING_REQUEST) Xml (ALL);
    MODIFIED_OCCURRENCES "calendar:ModifiedOccurrences" (CALENDAR | MEETING_REQUEST) Xml (ALL);
    DELETED_OCCURRENCES "calendar:DeletedOccurrences" (CALENDAR | MEETING_REQUEST) Xml (ALL);
    MEETING_TIME_ZONE "calendar:MeetingTimeZone" (CALENDAR | MEETING_REQUEST) Xml (ALL | SET);
    START_TIME_ZONE "calendar:StartTimeZone" (CALENDAR | MEETING_REQUEST) Xml (ALL | FIND | SET);
    END_TIME_ZONE "calendar:EndTimeZone" (CALENDAR | MEETING_REQUEST) Xml (ALL | FIND | SET);
    CONFERENCE_TYPE "calendar:ConferenceType" (CALENDAR | MEETING_REQUEST) Integer (ALL | FIND | SET);
    ALLOW_NEW_TIME_PROPOSAL "calendar:AllowNewTimeProposal" (CALENDAR | MEETING_REQUEST) Bool (ALL | FIND | SET);
    IS_ONLINE_MEETING "calendar:IsOnlineMeeting" (CALENDAR | MEETING_REQUEST) Bool (ALL | FIND | SET);
    MEETING_WORKSPACE_URL "calendar:MeetingWorkspaceUrl" (CALENDAR | MEETING_REQUEST) Text (ALL | FIND | SET);
    NET_SHOW_URL "calendar:NetShowUrl" (CALENDAR | MEETING_REQUEST) Text (ALL | FIND | SET);
    START_WALL_CLOCK "calendar:StartWallClock" (CALENDAR | MEETING_REQUEST) Time (FIND);
    END_WALL_CLOCK "calendar:EndWallClock" (CALENDAR | MEETING_REQUEST) Time (FIND);
    START_TIME_ZONE_ID "calendar:StartTimeZoneId" (CALENDAR | MEETING_REQUEST) Text (FIND);
    END_TIME_ZONE_ID "calendar:EndTimeZoneId" (CALENDAR | MEETING_REQUEST) Text (FIND);
    ENHANCED_LOCATION "calendar:EnhancedLocation" (CALENDAR | MEETING_REQUEST) Xml (0);
    JOIN_ONLINE_MEETING_URL "calendar:JoinOnlineMeetingUrl" (CALENDAR | MEETING_REQUEST) Text (0);
    ONLINE_MEETING_SETTINGS "calendar:OnlineMeetingSettings" (CALENDAR | MEETING_REQUEST) Xml (0);
    IS_ORGANIZER "calendar:IsOrganizer" (CALENDAR | MEETING_REQUEST) Bool (0);
    MEETING_PROPOSED_START "meeting:ProposedStart" (MEETING_RESPONSE) Time (0);
    MEETING_PROPOSED_END "meeting:ProposedEnd" (MEETING_RESPONSE) Time (0);
    CONTACT_FILE_AS "contacts:FileAs" (CONTACT | LIST) Text (DEFAULT | ALL | FIND | SET);
    CONTACT_FILE_AS_MAPPING "contacts:FileAsMapping" (CONTACT) Text (ALL | FIND | SET);
    CONTACT_DISPLAY_NAME "contacts:DisplayName" (CONTACT | LIST) Text (DEFAULT | ALL | FIND | SET);
    CONTACT_GIVEN_NAME "contacts:GivenName" (CONTACT) Text (DEFAULT | ALL | FIND | SET);
    CONTACT_INITIALS "contacts:Initials" (CONTACT) Text (ALL | FIND | SET);
    CONTACT_MIDDLE_NAME "contacts:MiddleName" (CONTACT) Text (ALL | FIND | SET);
    CONTACT_NICKNAME "contacts:Nickname" (CONTACT) Text (ALL | FIND | SET);
    CONTACT_COMPLETE_NAME "contacts:CompleteName" (CONTACT) Xml (DEFAULT | ALL);
    CONTACT_COMPANY_NAME "contacts:CompanyName" (CONTACT) Text (DEFAULT | ALL | FIND | SET);
    CONTACT_EMAIL_ADDRESSES "contacts:EmailAddresses" (CONTACT) Dictionary (DEFAULT | ALL | FIND | SET);
    CONTACT_PHYSICAL_ADDRESSES "contacts:PhysicalAddresses" (CONTACT) Dictionary (DEFAULT | ALL | FIND | SET);
    CONTACT_PHONE_NUMBERS "contacts:PhoneNumbers" (CONTACT) Dictionary (DEFAULT | ALL | FIND | SET);
    CONTACT_ASSISTANT_NAME "contacts:AssistantName" (CONTACT) Text (ALL | FIND | SET);
    CONTACT_BIRTHDAY "contacts:Birthday" (CONTACT) Time (ALL | FIND | SET);
    CONTACT_BUSINESS_HOME_PAGE "contacts:BusinessHomePage" (CONTACT) Text (ALL | FIND | SET);
    CONTACT_CHILDREN "contacts:Children" (CONTACT) Texts (ALL | SET);
    CONTACT_COMPANIES "contacts:Companies" (CONTACT) Texts (ALL | FIND | SET);
    CONTACT_SOURCE "contacts:ContactSource" (CONTACT | LIST) Text (ALL | FIND);
    CONTACT_DEPARTMENT "contacts:Department" (CONTACT) Text (ALL | FIND | SET);
    CONTACT_GENERATION "contacts:Generation" (CONTACT) Text (ALL | FIND | SET);
    CONTACT_IM_ADDRESSES "contacts:ImAddresses" (CONTACT) Dictionary (DEFAULT | ALL | FIND | SET);
    CONTACT_JOB_TITLE "contacts:JobTitle" (CONTACT) Text (DEFAULT | ALL | FIND | SET);
    CONTACT_MANAGER "contacts:Manager" (CONTACT) Text (ALL | FIND | SET);
    CONTACT_MILEAGE "contacts:Mileage" (CONTACT) Text (ALL | FIND | SET);
    CONTACT_OFFICE_LOCATION "contacts:OfficeLocation" (CONTACT) Text (ALL | FIND | SET);
    CONTACT_POSTAL_ADDRESS_INDEX "contacts:PostalAddressIndex" (CONTACT) Text (ALL | FIND | SET);
    CONTACT_PROFESSION "contacts:Profession" (CONTACT) Text (ALL | FIND | SET);
    CONTACT_SPOUSE_NAME "contacts:SpouseName" (CONTACT) Text (ALL | FIND | SET);
    CONTACT_SURNAME "contacts:Surname" (CONTACT) Text (DEFAULT | ALL | FIND | SET);
    CONTACT_WEDDING_ANNIVERSARY "contacts:WeddingAnniversary" (CONTACT) Time (ALL | FIND | SET);
    CONTACT_HAS_PICTURE "contacts:HasPicture" (CONTACT) Bool (ALL | FIND);
    CONTACT_PHONETIC_FULL_NAME "contacts:PhoneticFullName" (CONTACT) Text (0);
    CONTACT_PHONETIC_FIRST_NAME "contacts:PhoneticFirstName" (CONTACT) Text (0);
    CONTACT_PHONETIC_LAST_NAME "contacts:PhoneticLastName" (CONTACT) Text (0);
    CONTACT_ALIAS "contacts:Alias" (CONTACT) Text (FIND);
    CONTACT_NOTES "contacts:Notes" (CONTACT) Text (0);
    CONTACT_PHOTO "contacts:Photo" (CONTACT) Bytes (0);
    CONTACT_USER_SMIME_CERTIFICATE "contacts:UserSMIMECertificate" (CONTACT) Xml (0);
    CONTACT_MS_EXCHANGE_CERTIFICATE "contacts:MSExchangeCertificate" (CONTACT) Xml (0);
    CONTACT_DIRECTORY_ID "contacts:DirectoryId" (CONTACT) Text (0);
    CONTACT_MANAGER_MAILBOX "contacts:ManagerMailbox" (CONTACT) Xml (0);
    CONTACT_DIRECT_REPORTS "contacts:DirectReports" (CONTACT) Xml (0);
    LIST_MEMBERS "distributionlist:Members" (LIST) Xml (DEFAULT | ALL | SET);
    TASK_ACTUAL_WORK "task:ActualWork" (TASK) Integer (ALL | FIND | SET);
    TASK_ASSIGNED_TIME "task:AssignedTime" (TASK) Time (ALL | FIND);
    TASK_BILLING_INFORMATION "task:BillingInformation" (TASK) Text (ALL | FIND | SET);
    TASK_CHANGE_COUNT "task:ChangeCount" (TASK) Integer (ALL | FIND);
    TASK_COMPANIES "task:Companies" (TASK) Texts (ALL | FIND | SET);
    TASK_COMPLETE_DATE "task:CompleteDate" (TASK) Time (ALL | FIND | SET);
    TASK_CONTACTS "task:Contacts" (TASK) Texts (ALL | FIND | SET);
    TASK_DELEGATION_STATE "task:DelegationState" (TASK) Text (ALL | FIND);
    TASK_DELEGATOR "task:Delegator" (TASK) Text (ALL | FIND);
    TASK_DUE_DATE "task:DueDate" (TASK) Time (DEFAULT | ALL | FIND | SET);
    TASK_IS_ASSIGNMENT_EDITABLE "task:IsAssignmentEditable" (TASK) Integer (ALL | FIND);
    TASK_IS_COMPLETE "task:IsComplete" (TASK) Bool (ALL | FIND);
    TASK_IS_RECURRING "task:IsRecurring" (TASK) Bool (ALL | FIND);
    TASK_IS_TEAM_TASK "task:IsTeamTask" (TASK) Bool (ALL | FIND);
    TASK_MILEAGE "task:Mileage" (TASK) Text (ALL | FIND | SET);
    TASK_OWNER "task:Owner" (TASK) Text (ALL | FIND);
    TASK_PERCENT_COMPLETE "task:PercentComplete" (TASK) Double (DEFAULT | ALL | FIND | SET);
    TASK_RECURRENCE "task:Recurrence" (TASK) Xml (ALL | SET);
    TASK_START_DATE "task:StartDate" (TASK) Time (DEFAULT | ALL | FIND | SET);
    TASK_STATUS "task:Status" (TASK) Text (DEFAULT | ALL | FIND | SET);
    TASK_STATUS_DESCRIPTION "task:StatusDescription" (TASK) Text (ALL | FIND);
    TASK_TOTAL_WORK "task:TotalWork" (TASK) Integer (ALL | FIND | SET);
    FOLDER_ID "folder:FolderId" (FOLDER) FolderId (DEFAULT | ALL | FIND);
    FOLDER_PARENT_FOLDER_ID "folder:ParentFolderId" (FOLDER) FolderId (ALL | FIND);
    FOLDER_CLASS "folder:FolderClass" (FOLDER) Text (ALL | FIND | SET);
    FOLDER_DISPLAY_NAME "folder:DisplayName" (FOLDER) Text (DEFAULT | ALL | FIND | SET);
    FOLDER_TOTAL_COUNT "folder:TotalCount" (FOLDER) Integer (DEFAULT | ALL | FIND);
    FOLDER_CHILD_FOLDER_COUNT "folder:ChildFolderCount" (FOLDER) Integer (DEFAULT | ALL | FIND);
    FOLDER_MANAGED_FOLDER_INFORMATION "folder:ManagedFolderInformation" (FOLDER) Xml (ALL | FIND);
    FOLDER_EFFECTIVE_RIGHTS "folder:EffectiveRights" (FOLDER) Xml (ALL | FIND);
    FOLDER_SHARING_EFFECTIVE_RIGHTS "folder:SharingEffectiveRights" (FOLDER) Text (FIND);
    FOLDER_PERMISSION_SET "folder:PermissionSet" (FOLDER) Xml (SET);
    FOLDER_UNREAD_COUNT "folder:UnreadCount" (FOLDER) Integer (DEFAULT | ALL | FIND);
    FOLDER_SEARCH_PARAMETERS "folder:SearchParameters" (FOLDER) Xml (SET);
    FOLDER_DISTINGUISHED_FOLDER_ID "folder:DistinguishedFolderId" (FOLDER) Text (FIND);
    FOLDER_POLICY_TAG "folder:PolicyTag" (FOLDER) Xml (FIND);
    FOLDER_ARCHIVE_TAG "folder:ArchiveTag" (FOLDER) Xml (FIND);
}
