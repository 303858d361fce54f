-- How often the store was opened: subscriptions of an earlier opening are told apart by it.
CREATE TABLE opening (count INTEGER NOT NULL) STRICT;
INSERT INTO opening VALUES (0);

CREATE TABLE mailbox (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    address TEXT NOT NULL UNIQUE,          -- primary address in lower case
    change INTEGER NOT NULL,               -- number of the last change
    forgotten INTEGER NOT NULL DEFAULT 0   -- deletions of folders up to this change are remembered no longer
) STRICT;

CREATE TABLE folder (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    mailbox INTEGER NOT NULL REFERENCES mailbox (id),
    parent INTEGER REFERENCES folder (id), -- null for the root
    distinguished TEXT,                    -- well-known name
    kind INTEGER NOT NULL,
    name TEXT NOT NULL,
    folded_name TEXT NOT NULL,             -- in lower case: siblings differ in more than case
    class TEXT,
    created INTEGER NOT NULL,              -- times in microseconds since 1970
    modified INTEGER NOT NULL,
    created_change INTEGER NOT NULL,
    change INTEGER NOT NULL,
    next_uid INTEGER NOT NULL DEFAULT 1,
    forgotten INTEGER NOT NULL DEFAULT 0   -- deletions up to this change are remembered no longer
) STRICT;
CREATE UNIQUE INDEX folder_name ON folder (parent, folded_name);
CREATE UNIQUE INDEX folder_distinguished ON folder (mailbox, distinguished) WHERE distinguished IS NOT NULL;
CREATE INDEX folder_change ON folder (mailbox, change);

CREATE TABLE folder_property (
    folder INTEGER NOT NULL REFERENCES folder (id) ON DELETE CASCADE,
    path TEXT NOT NULL,
    kind INTEGER NOT NULL,
    value ANY NOT NULL,
    PRIMARY KEY (folder, path)
) STRICT, WITHOUT ROWID;

CREATE TABLE folder_tombstone (
    mailbox INTEGER NOT NULL,
    folder INTEGER NOT NULL PRIMARY KEY,
    created_change INTEGER NOT NULL,
    change INTEGER NOT NULL
) STRICT;
CREATE INDEX folder_tombstone_change ON folder_tombstone (mailbox, change);

CREATE TABLE item (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    mailbox INTEGER NOT NULL,
    folder INTEGER NOT NULL REFERENCES folder (id),
    place INTEGER NOT NULL,                -- 0 lies in the folder, 1 soft-deleted, 2 associated with it
    uid INTEGER NOT NULL,                  -- ascending within the folder, never used twice
    kind INTEGER NOT NULL,
    class TEXT NOT NULL,
    created_change INTEGER NOT NULL,
    content_change INTEGER NOT NULL,       -- last change of anything but the read flag
    change INTEGER NOT NULL,
    created INTEGER NOT NULL,
    modified INTEGER NOT NULL,
    received INTEGER NOT NULL,
    sent INTEGER,
    subject TEXT,
    author TEXT,                           -- name and address of From
    display_to TEXT,                       -- names
    display_cc TEXT,
    display_bcc TEXT,
    recipients_to TEXT,                    -- names and addresses
    recipients_cc TEXT,
    recipients_bcc TEXT,
    size INTEGER NOT NULL,
    is_read INTEGER NOT NULL,
    is_draft INTEGER NOT NULL,
    importance INTEGER NOT NULL,
    sensitivity INTEGER NOT NULL,
    has_attachments INTEGER NOT NULL,
    message_id TEXT,
    starts INTEGER,
    ends INTEGER,
    flag INTEGER NOT NULL,
    display_name TEXT
) STRICT;
CREATE INDEX item_received ON item (folder, place, received, id);
CREATE INDEX item_uid ON item (folder, place, uid);
CREATE INDEX item_starts ON item (folder, place, starts, id);
CREATE INDEX item_read ON item (folder, place, is_read);
CREATE INDEX item_created ON item (folder, place, created_change);
CREATE INDEX item_change ON item (folder, place, change);

CREATE TABLE property (
    item INTEGER NOT NULL REFERENCES item (id) ON DELETE CASCADE,
    path TEXT NOT NULL,
    kind INTEGER NOT NULL,
    value ANY NOT NULL,
    PRIMARY KEY (item, path)
) STRICT, WITHOUT ROWID;

CREATE TABLE content (
    item INTEGER PRIMARY KEY REFERENCES item (id) ON DELETE CASCADE,
    html INTEGER NOT NULL,
    body TEXT NOT NULL,
    mime BLOB                              -- as it arrived, where it arrived as MIME
) STRICT;

-- Which property was changed last by which change: what AutoResolve asks.
CREATE TABLE touched (
    item INTEGER NOT NULL REFERENCES item (id) ON DELETE CASCADE,
    path TEXT NOT NULL,
    change INTEGER NOT NULL,
    PRIMARY KEY (item, path)
) STRICT, WITHOUT ROWID;

CREATE TABLE tombstone (
    folder INTEGER NOT NULL REFERENCES folder (id) ON DELETE CASCADE,
    item INTEGER NOT NULL,
    created_change INTEGER NOT NULL,
    change INTEGER NOT NULL,
    PRIMARY KEY (folder, item)
) STRICT, WITHOUT ROWID;
CREATE INDEX tombstone_change ON tombstone (folder, change);

-- rowid is the item's id.
CREATE VIRTUAL TABLE search USING fts5 (
    subject, author, recipients, body,
    content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2'
);
