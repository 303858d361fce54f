-- Columns ending in _key hold the lower-case form that is compared; their neighbours keep what was written.

CREATE TABLE organisation (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    name_key TEXT NOT NULL UNIQUE,
    short_name TEXT NOT NULL,
    short_key TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE accepted_domain (
    domain TEXT PRIMARY KEY,
    organisation INTEGER NOT NULL REFERENCES organisation (id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE INDEX accepted_domain_organisation ON accepted_domain (organisation);

-- Nothing here keeps an organisation from having several default policies or none: the tables can be changed by
-- other hands than ours, and what they leave behind is judged when it is read.
CREATE TABLE policy (
    guid TEXT PRIMARY KEY,
    organisation INTEGER NOT NULL REFERENCES organisation (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    name_key TEXT NOT NULL,
    is_default INTEGER NOT NULL DEFAULT 0 CHECK (is_default IN (0, 1)),
    settings TEXT NOT NULL,
    UNIQUE (organisation, name_key)
) STRICT, WITHOUT ROWID;

CREATE TABLE mailbox (
    id INTEGER PRIMARY KEY,
    guid TEXT NOT NULL UNIQUE,
    organisation INTEGER NOT NULL REFERENCES organisation (id),
    alias TEXT NOT NULL,
    alias_key TEXT NOT NULL,
    legacy_name TEXT NOT NULL,
    legacy_key TEXT NOT NULL,
    display_name TEXT NOT NULL,
    display_key TEXT NOT NULL,
    password TEXT,
    policy TEXT,
    created INTEGER NOT NULL,
    UNIQUE (organisation, alias_key),
    UNIQUE (organisation, legacy_key)
) STRICT;

CREATE INDEX mailbox_alias ON mailbox (alias_key);
CREATE INDEX mailbox_policy ON mailbox (policy) WHERE policy IS NOT NULL;

CREATE TABLE address (
    address_key TEXT PRIMARY KEY,
    address TEXT NOT NULL,
    mailbox INTEGER NOT NULL REFERENCES mailbox (id) ON DELETE CASCADE,
    is_primary INTEGER NOT NULL DEFAULT 0 CHECK (is_primary IN (0, 1))
) STRICT, WITHOUT ROWID;

CREATE INDEX address_mailbox ON address (mailbox);
CREATE UNIQUE INDEX address_primary ON address (mailbox) WHERE is_primary = 1;

-- What a mailbox's link still finds after its policy was deleted.
CREATE TABLE tombstone (
    guid TEXT PRIMARY KEY,
    name TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TRIGGER policy_leaves_a_tombstone AFTER DELETE ON policy
WHEN EXISTS (SELECT 1 FROM mailbox WHERE policy = OLD.guid)
BEGIN
    INSERT OR REPLACE INTO tombstone (guid, name)
    VALUES (OLD.guid, OLD.name || char(10) || 'DEL:' || OLD.guid);
END;

-- One row. Only changes through our own interface move the number; there is no trigger for it on purpose.
CREATE TABLE version (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    number INTEGER NOT NULL
) STRICT;

INSERT INTO version (only, number) VALUES (1, 1);
