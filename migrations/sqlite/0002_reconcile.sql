-- Asking services afterwards, and holding rows for a person.

-- Who holds a row: 'hold' (a person, by denpyo hold), 'installation' (a restore or a clone), 'age'.
ALTER TABLE email_submissions ADD COLUMN held_by TEXT;
-- Age counts anew from here: somebody looked, and let it go.
ALTER TABLE email_submissions ADD COLUMN released_at TEXT CHECK (released_at GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9] [0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9]');
-- A replay under way: nobody else settles the row meanwhile, and it ends with the lease.
ALTER TABLE email_submissions ADD COLUMN replay_token TEXT;

-- Open questions, one a row: when to ask next. A schedule, not a record: what was asked and
-- answered stands in submission_observations.
CREATE TABLE lookups (
    submission_id INTEGER PRIMARY KEY REFERENCES email_submissions (id),
    attempt INTEGER NOT NULL,
    -- The lease's end of that attempt: the horizon counts from here.
    lease_until TEXT NOT NULL CHECK (lease_until GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9] [0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9]'),
    next_at TEXT NOT NULL CHECK (next_at GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9] [0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9]'),
    asked INTEGER NOT NULL DEFAULT 0,
    -- The process whose clock remembers the first "not found".
    asker TEXT,
    -- No more asking: a person has to find out.
    ended INTEGER NOT NULL DEFAULT 0,
    -- Answers in a row that said neither yes nor no.
    unclear INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX lookups_due ON lookups (next_at) WHERE NOT ended;

-- The request of an attempt at a service that knows idempotency keys: a replay must be the same.
CREATE TABLE attempt_requests (
    submission_id INTEGER NOT NULL REFERENCES email_submissions (id),
    attempt INTEGER NOT NULL,
    digest TEXT NOT NULL,
    PRIMARY KEY (submission_id, attempt)
);

-- Conditions that somebody was told of, and that are not over yet.
CREATE TABLE alerts (
    condition TEXT PRIMARY KEY,
    since TEXT NOT NULL CHECK (since GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9] [0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9]'),
    told_at TEXT NOT NULL CHECK (told_at GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9] [0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9]')
);

-- What services told by themselves, to be found again quickly when it is told again.
CREATE INDEX submission_observations_kind ON submission_observations (submission_id, kind);

-- A mail without not_before is due at once, whatever the clock said when it was inserted.
DROP INDEX email_submissions_pending;
CREATE INDEX email_submissions_pending ON email_submissions (created_at, id)
    WHERE status = 'pending' AND held_reason IS NULL AND not_before IS NULL;
CREATE INDEX email_submissions_postponed ON email_submissions (not_before, id)
    WHERE status = 'pending' AND held_reason IS NULL AND not_before IS NOT NULL;
