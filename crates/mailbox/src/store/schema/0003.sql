-- Which deliveries each mailbox got last: one that is made again after a crash is not stored twice.
CREATE TABLE delivery (
    number INTEGER PRIMARY KEY,            -- ascending
    mailbox INTEGER NOT NULL REFERENCES mailbox (id),
    name TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX delivery_name ON delivery (mailbox, name);
