-- What this store calls itself in identifiers of MAPI: the same for all its mailboxes, and for ever.
CREATE TABLE replica (guid BLOB NOT NULL) STRICT;
INSERT INTO replica VALUES (randomblob(16));

-- The numbers under which MAPI clients of a mailbox know properties that have names.
CREATE TABLE named_property (
    mailbox INTEGER NOT NULL REFERENCES mailbox (id),
    id INTEGER NOT NULL,                   -- 0x8000 to 0xFFFE
    name TEXT NOT NULL,                    -- set and number or name
    PRIMARY KEY (mailbox, id)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX named_property_name ON named_property (mailbox, name);
