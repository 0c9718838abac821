-- +goose Up

-- The requests that were sent with an Idempotency-Key, and their answers. A row
-- without an answer is a request in work, or one whose process ended in it. Keys
-- are stored as digests: a client may have put anything into them.
CREATE TABLE idempotency_keys (
    key_digest  TEXT NOT NULL PRIMARY KEY CHECK (length(key_digest) = 64),
    fingerprint TEXT NOT NULL CHECK (length(fingerprint) = 64),
    status      INTEGER CHECK (status BETWEEN 200 AND 299),
    header      TEXT CHECK (json_type(header) = 'object'),
    body        BLOB,
    created_at  TEXT NOT NULL,
    CHECK ((status IS NULL) = (header IS NULL) AND (status IS NULL) = (body IS NULL))
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_keys_created_at ON idempotency_keys (created_at);

-- +goose StatementBegin
CREATE TRIGGER idempotency_keys_answered BEFORE UPDATE ON idempotency_keys
WHEN OLD.status IS NOT NULL OR NEW.key_digest <> OLD.key_digest OR NEW.fingerprint <> OLD.fingerprint
BEGIN
    SELECT RAISE(ABORT, 'the answer to a request never changes');
END;
-- +goose StatementEnd
