-- The outbox, on SQLite. Outsiders insert rows with whatever SQLite they have: no STRICT tables
-- and nothing newer than 3.24 in what an insert touches. Times are UTC text of one width, checked,
-- because text of varying width does not sort; and days that no calendar has are refused, because
-- nobody could read such a row again. For the same reason numbers, words and refs of Denpyo's own
-- have their types checked, as PostgreSQL does by itself.

CREATE TABLE email_submissions (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    ref TEXT NOT NULL UNIQUE DEFAULT (lower(
        hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4' || substr(hex(randomblob(2)), 2) || '-'
        || substr('89ab', 1 + (random() & 3), 1) || substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6))))
        CHECK (typeof(ref) = 'text' AND ref GLOB '????????-????-????-????-????????????'
            AND length(replace(ref, '-', '')) = 32 AND ref NOT GLOB '*[^0-9a-f-]*'),
    order_id TEXT NOT NULL CHECK (trim(order_id, char(9, 10, 11, 12, 13, 32, 160, 12288)) <> ''),
    kind TEXT NOT NULL CHECK (trim(kind, char(9, 10, 11, 12, 13, 32, 160, 12288)) <> ''),
    occasion TEXT NOT NULL DEFAULT '',
    copy INTEGER NOT NULL DEFAULT 0 CHECK (typeof(copy) = 'integer' AND copy BETWEEN 0 AND 2147483647),
    original_id INTEGER REFERENCES email_submissions (id) CHECK (typeof(original_id) IN ('null', 'integer')),
    -- Content is looked through before the claim; a fault in it must not fail the shop's insert.
    recipient TEXT,
    subject TEXT,
    body_text TEXT,
    body_html TEXT,
    reply_to TEXT,
    sender TEXT,
    -- The recipient as first inserted, once a person has corrected it.
    first_recipient TEXT,
    status TEXT NOT NULL DEFAULT 'pending'
        CHECK (status IN ('pending', 'requesting', 'synced', 'failed', 'rejected', 'canceled')),
    settled_by TEXT CHECK (settled_by IN ('response', 'lookup', 'webhook', 'person', 'assumed', 'imported')),
    attempts INTEGER NOT NULL DEFAULT 0 CHECK (typeof(attempts) = 'integer'),
    -- Attempts that count against DENPYO_MAX_ATTEMPTS.
    attempts_counted INTEGER NOT NULL DEFAULT 0 CHECK (typeof(attempts_counted) = 'integer'),
    error TEXT CHECK (typeof(error) <> 'blob'),
    held_reason TEXT CHECK (typeof(held_reason) <> 'blob'),
    version INTEGER NOT NULL DEFAULT 1 CHECK (typeof(version) = 'integer'),
    provider TEXT CHECK (typeof(provider) <> 'blob'),
    provider_message_id TEXT CHECK (typeof(provider_message_id) <> 'blob'),
    delivery_state TEXT CHECK (delivery_state IN ('delivered', 'bounced', 'complained')),
    delivery_at TEXT CHECK (delivery_at GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9] [0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9]' AND datetime(substr(delivery_at, 1, 19), '0 days') IS substr(delivery_at, 1, 19)),
    possible_duplicate INTEGER NOT NULL DEFAULT 0 CHECK (possible_duplicate IN (0, 1)),
    claim_token TEXT,
    claimed_from TEXT,
    claimed_at TEXT CHECK (claimed_at GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9] [0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9]' AND datetime(substr(claimed_at, 1, 19), '0 days') IS substr(claimed_at, 1, 19)),
    unknown_at TEXT CHECK (unknown_at GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9] [0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9]' AND datetime(substr(unknown_at, 1, 19), '0 days') IS substr(unknown_at, 1, 19)),
    created_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%d %H:%M:%f000', 'now')) CHECK (created_at GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9] [0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9]' AND datetime(substr(created_at, 1, 19), '0 days') IS substr(created_at, 1, 19)),
    updated_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%d %H:%M:%f000', 'now')) CHECK (updated_at GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9] [0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9]' AND datetime(substr(updated_at, 1, 19), '0 days') IS substr(updated_at, 1, 19)),
    not_before TEXT CHECK (not_before GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9] [0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9]' AND datetime(substr(not_before, 1, 19), '0 days') IS substr(not_before, 1, 19)),
    next_attempt_at TEXT CHECK (next_attempt_at GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9] [0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9]' AND datetime(substr(next_attempt_at, 1, 19), '0 days') IS substr(next_attempt_at, 1, 19)),
    lease_until TEXT CHECK (lease_until GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9] [0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9]' AND datetime(substr(lease_until, 1, 19), '0 days') IS substr(lease_until, 1, 19)),
    sent_at TEXT CHECK (sent_at GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9] [0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9]' AND datetime(substr(sent_at, 1, 19), '0 days') IS substr(sent_at, 1, 19)),
    UNIQUE (order_id, kind, occasion, copy),
    CHECK (status <> 'requesting'
        OR (claim_token IS NOT NULL AND claimed_at IS NOT NULL AND lease_until IS NOT NULL))
);

-- What workers take: the waiting and the due.
CREATE INDEX email_submissions_pending ON email_submissions (COALESCE(not_before, created_at), id)
    WHERE status = 'pending' AND held_reason IS NULL;
CREATE INDEX email_submissions_retry ON email_submissions (next_attempt_at, id)
    WHERE status = 'failed' AND held_reason IS NULL AND next_attempt_at IS NOT NULL;
CREATE INDEX email_submissions_open ON email_submissions (lease_until) WHERE status = 'requesting';
-- What the desk reads: newest first, and the small sets counted exactly.
CREATE INDEX email_submissions_time ON email_submissions (created_at, id);
CREATE INDEX email_submissions_unsettled ON email_submissions (status, created_at, id)
    WHERE status <> 'synced';
CREATE INDEX email_submissions_held ON email_submissions (created_at, id) WHERE held_reason IS NOT NULL;
CREATE INDEX email_submissions_assumed ON email_submissions (status) WHERE settled_by = 'assumed';
CREATE INDEX email_submissions_recipient ON email_submissions (substr(lower(recipient), 1, 320));

CREATE TRIGGER email_submissions_insert BEFORE INSERT ON email_submissions
WHEN NEW.status <> 'pending' OR NEW.attempts <> 0 OR NEW.claim_token IS NOT NULL
    OR NEW.settled_by IS NOT NULL OR NEW.sent_at IS NOT NULL OR NEW.version <> 1
    OR NEW.attempts_counted <> 0 OR NEW.error IS NOT NULL OR NEW.provider IS NOT NULL
    OR NEW.provider_message_id IS NOT NULL OR NEW.lease_until IS NOT NULL OR NEW.unknown_at IS NOT NULL
    OR NEW.id > 4611686018427387904
BEGIN
    SELECT RAISE(ABORT, 'email_submissions: a row is inserted as pending and unsent');
END;

-- INSERT OR REPLACE deletes the row in its way without a word to the trigger below. The row that an
-- insert would meet is noted, and must be there still when the insert is done.
CREATE TABLE insert_conflicts (id INTEGER NOT NULL);
CREATE TRIGGER email_submissions_conflict BEFORE INSERT ON email_submissions
WHEN EXISTS (SELECT 1 FROM email_submissions WHERE id = NEW.id OR ref = NEW.ref
    OR (order_id = NEW.order_id AND kind = NEW.kind AND occasion = NEW.occasion AND copy = NEW.copy))
BEGIN
    DELETE FROM insert_conflicts;
    INSERT INTO insert_conflicts SELECT id FROM email_submissions WHERE id = NEW.id OR ref = NEW.ref
        OR (order_id = NEW.order_id AND kind = NEW.kind AND occasion = NEW.occasion AND copy = NEW.copy);
END;
CREATE TRIGGER email_submissions_replace AFTER INSERT ON email_submissions
WHEN EXISTS (SELECT 1 FROM insert_conflicts AS met
    WHERE met.id = NEW.id OR NOT EXISTS (SELECT 1 FROM email_submissions WHERE id = met.id))
BEGIN
    SELECT RAISE(ABORT, 'email_submissions: rows are never deleted, nor replaced');
END;

CREATE TRIGGER email_submissions_delete BEFORE DELETE ON email_submissions
BEGIN
    SELECT RAISE(ABORT, 'email_submissions: rows are never deleted');
END;

CREATE TRIGGER email_submissions_update BEFORE UPDATE ON email_submissions
-- IS NOT: a comparison with NULL is not true, and UPDATE OR REPLACE would then put in defaults.
WHEN (NEW.version > OLD.version) IS NOT 1 OR NEW.id IS NOT OLD.id OR NEW.ref IS NOT OLD.ref
    OR NEW.order_id IS NOT OLD.order_id OR NEW.kind IS NOT OLD.kind OR NEW.occasion IS NOT OLD.occasion
    OR NEW.copy IS NOT OLD.copy OR NEW.created_at IS NOT OLD.created_at
    OR NEW.status IS NULL OR NEW.attempts IS NULL OR NEW.attempts_counted IS NULL
    OR NEW.possible_duplicate IS NULL OR NEW.updated_at IS NULL
BEGIN
    SELECT RAISE(ABORT, 'email_submissions: identity never changes, and version goes up at every change');
END;

CREATE TRIGGER email_submissions_status BEFORE UPDATE ON email_submissions
WHEN NEW.status <> OLD.status AND NOT (
       (OLD.status = 'pending' AND NEW.status IN ('requesting', 'rejected', 'canceled', 'synced'))
    OR (OLD.status = 'requesting' AND NEW.status IN ('pending', 'failed', 'synced', 'rejected'))
    OR (OLD.status = 'failed' AND NEW.status IN ('requesting', 'synced', 'canceled'))
    OR (OLD.status = 'rejected' AND NEW.status IN ('requesting', 'synced', 'canceled'))
    OR (OLD.status = 'canceled' AND NEW.status = 'synced')
    OR (OLD.status = 'synced' AND OLD.settled_by IS 'assumed' AND NEW.status = 'failed'))
BEGIN
    SELECT RAISE(ABORT, 'email_submissions: this change of status is not one of the state machine');
END;

CREATE TRIGGER email_submissions_claim BEFORE UPDATE ON email_submissions
WHEN CASE WHEN NEW.status = 'requesting' AND OLD.status <> 'requesting'
    THEN NEW.attempts <> OLD.attempts + 1 OR NEW.claim_token IS NULL OR NEW.claim_token IS OLD.claim_token
    ELSE NEW.attempts <> OLD.attempts
        OR (NEW.status = 'requesting' AND NEW.claim_token IS NOT OLD.claim_token) END
BEGIN
    SELECT RAISE(ABORT, 'email_submissions: a claim counts the attempt and sets a token of its own');
END;

-- One row an attempt, closed once.
CREATE TABLE submission_attempts (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    submission_id INTEGER NOT NULL REFERENCES email_submissions (id),
    attempt INTEGER NOT NULL,
    claim_token TEXT NOT NULL,
    worker TEXT NOT NULL,
    actor TEXT,
    recipient TEXT,
    provider TEXT NOT NULL,
    account TEXT NOT NULL,
    claimed_at TEXT NOT NULL CHECK (claimed_at GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9] [0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9]' AND datetime(substr(claimed_at, 1, 19), '0 days') IS substr(claimed_at, 1, 19)),
    lease_until TEXT NOT NULL CHECK (lease_until GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9] [0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9]' AND datetime(substr(lease_until, 1, 19), '0 days') IS substr(lease_until, 1, 19)),
    closed_at TEXT CHECK (closed_at GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9] [0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9]' AND datetime(substr(closed_at, 1, 19), '0 days') IS substr(closed_at, 1, 19)),
    outcome TEXT CHECK (outcome IN
        ('accepted', 'never_left', 'temporary', 'refused', 'account', 'unknown', 'released')),
    cause TEXT,
    code INTEGER,
    error TEXT,
    provider_message_id TEXT,
    took_ms INTEGER,
    next_attempt_at TEXT CHECK (next_attempt_at GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9] [0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9]' AND datetime(substr(next_attempt_at, 1, 19), '0 days') IS substr(next_attempt_at, 1, 19)),
    UNIQUE (submission_id, attempt),
    CHECK ((closed_at IS NULL) = (outcome IS NULL))
);

-- INSERT OR REPLACE would delete without a word to the trigger below.
CREATE TRIGGER submission_attempts_replace BEFORE INSERT ON submission_attempts
WHEN EXISTS (SELECT 1 FROM submission_attempts WHERE id = NEW.id OR (submission_id = NEW.submission_id AND attempt = NEW.attempt))
BEGIN
    SELECT RAISE(ABORT, 'submission_attempts: rows are never replaced');
END;
CREATE TRIGGER submission_attempts_update BEFORE UPDATE ON submission_attempts
WHEN OLD.closed_at IS NOT NULL OR NEW.closed_at IS NULL OR NEW.submission_id <> OLD.submission_id
    OR NEW.attempt <> OLD.attempt OR NEW.claim_token <> OLD.claim_token
BEGIN
    SELECT RAISE(ABORT, 'submission_attempts: an attempt is closed once and never changed');
END;
CREATE TRIGGER submission_attempts_delete BEFORE DELETE ON submission_attempts
BEGIN
    SELECT RAISE(ABORT, 'submission_attempts: rows are never deleted');
END;

-- What was learnt beside an attempt's own answer.
CREATE TABLE submission_observations (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    submission_id INTEGER NOT NULL REFERENCES email_submissions (id),
    attempt INTEGER,
    at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%d %H:%M:%f000', 'now')) CHECK (at GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9] [0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9]' AND datetime(substr(at, 1, 19), '0 days') IS substr(at, 1, 19)),
    kind TEXT NOT NULL,
    provider TEXT,
    detail TEXT
);
CREATE INDEX submission_observations_submission ON submission_observations (submission_id, id);
-- INSERT OR REPLACE would delete without a word to the trigger below.
CREATE TRIGGER submission_observations_replace BEFORE INSERT ON submission_observations
WHEN EXISTS (SELECT 1 FROM submission_observations WHERE id = NEW.id)
BEGIN
    SELECT RAISE(ABORT, 'submission_observations: rows are never replaced');
END;
CREATE TRIGGER submission_observations_update BEFORE UPDATE ON submission_observations
BEGIN
    SELECT RAISE(ABORT, 'submission_observations: rows are never changed');
END;
CREATE TRIGGER submission_observations_delete BEFORE DELETE ON submission_observations
BEGIN
    SELECT RAISE(ABORT, 'submission_observations: rows are never deleted');
END;

-- What people did, written in the same transaction as the act.
CREATE TABLE audit_events (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%d %H:%M:%f000', 'now')) CHECK (at GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9] [0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9]' AND datetime(substr(at, 1, 19), '0 days') IS substr(at, 1, 19)),
    actor TEXT NOT NULL,
    act TEXT NOT NULL,
    submission_id INTEGER REFERENCES email_submissions (id),
    reason TEXT,
    before_status TEXT,
    after_status TEXT,
    before_recipient TEXT,
    after_recipient TEXT,
    attempt INTEGER,
    version_seen INTEGER,
    request_id TEXT
);
CREATE INDEX audit_events_submission ON audit_events (submission_id, id);
CREATE UNIQUE INDEX audit_events_request ON audit_events (submission_id, act, request_id)
    WHERE request_id IS NOT NULL;
-- INSERT OR REPLACE would delete without a word to the trigger below.
CREATE TRIGGER audit_events_replace BEFORE INSERT ON audit_events
WHEN EXISTS (SELECT 1 FROM audit_events WHERE id = NEW.id OR (submission_id = NEW.submission_id AND act = NEW.act AND request_id = NEW.request_id))
BEGIN
    SELECT RAISE(ABORT, 'audit_events: rows are never replaced');
END;
CREATE TRIGGER audit_events_update BEFORE UPDATE ON audit_events
BEGIN
    SELECT RAISE(ABORT, 'audit_events: rows are never changed');
END;
CREATE TRIGGER audit_events_delete BEFORE DELETE ON audit_events
BEGIN
    SELECT RAISE(ABORT, 'audit_events: rows are never deleted');
END;

-- A service that refuses the account is not asked again before paused_until.
CREATE TABLE service_pauses (
    provider TEXT NOT NULL,
    account TEXT NOT NULL,
    paused_since TEXT NOT NULL CHECK (paused_since GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9] [0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9]' AND datetime(substr(paused_since, 1, 19), '0 days') IS substr(paused_since, 1, 19)),
    paused_until TEXT NOT NULL CHECK (paused_until GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9] [0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9]' AND datetime(substr(paused_until, 1, 19), '0 days') IS substr(paused_until, 1, 19)),
    pauses INTEGER NOT NULL DEFAULT 1,
    code INTEGER,
    PRIMARY KEY (provider, account)
);

CREATE TABLE workers (
    name TEXT PRIMARY KEY,
    resends_only INTEGER NOT NULL CHECK (resends_only IN (0, 1)),
    started_at TEXT NOT NULL CHECK (started_at GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9] [0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9]' AND datetime(substr(started_at, 1, 19), '0 days') IS substr(started_at, 1, 19)),
    seen_at TEXT NOT NULL CHECK (seen_at GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9] [0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9]' AND datetime(substr(seen_at, 1, 19), '0 days') IS substr(seen_at, 1, 19)),
    in_flight INTEGER NOT NULL,
    accepted_last_hour INTEGER NOT NULL
);

CREATE TABLE settings (
    key TEXT PRIMARY KEY,
    value TEXT NOT NULL
);

CREATE TABLE users (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL UNIQUE,
    role TEXT NOT NULL CHECK (role IN ('support', 'lead', 'admin')),
    password_hash TEXT NOT NULL,
    disabled INTEGER NOT NULL DEFAULT 0 CHECK (disabled IN (0, 1)),
    -- Sessions opened under an earlier epoch are over.
    epoch INTEGER NOT NULL DEFAULT 0,
    created_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%d %H:%M:%f000', 'now')) CHECK (created_at GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9] [0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9]' AND datetime(substr(created_at, 1, 19), '0 days') IS substr(created_at, 1, 19))
);

CREATE TABLE tower_sessions (
    id TEXT PRIMARY KEY NOT NULL,
    data BLOB NOT NULL,
    expiry_date INTEGER NOT NULL
);
