-- Who may act as the other people of his organisation.
ALTER TABLE mailbox ADD COLUMN may_impersonate INTEGER NOT NULL DEFAULT 0 CHECK (may_impersonate IN (0, 1));
