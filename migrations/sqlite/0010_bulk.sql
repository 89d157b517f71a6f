-- Resending many mails: what was seen, frozen, and what became of each.

CREATE TABLE bulk_jobs (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    state TEXT NOT NULL DEFAULT 'preview' CHECK (state IN ('preview', 'running', 'stopped', 'done')),
    -- The list's filter, as its URL had it.
    query TEXT NOT NULL,
    created_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%d %H:%M:%f000', 'now'))
        CHECK (created_at GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9] [0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9]'),
    created_by TEXT NOT NULL,
    reason TEXT,
    started_at TEXT,
    started_by TEXT,
    ended_at TEXT,
    stopped_by TEXT,
    -- The process that works on it, and until when nobody else does.
    lease_owner TEXT,
    lease_until TEXT,
    CHECK (state = 'preview' OR (reason IS NOT NULL AND started_at IS NOT NULL AND started_by IS NOT NULL))
);
CREATE INDEX bulk_jobs_running ON bulk_jobs (id) WHERE state = 'running';

CREATE TABLE bulk_items (
    job_id INTEGER NOT NULL REFERENCES bulk_jobs (id),
    place INTEGER NOT NULL,
    submission_id INTEGER NOT NULL REFERENCES email_submissions (id),
    -- The row as it was seen: another one is not resent.
    version INTEGER NOT NULL,
    attempt INTEGER NOT NULL,
    -- Why it was left out from the beginning.
    refusal TEXT,
    result TEXT CHECK (result IN ('resent', 'skipped')),
    -- The attempt that it began.
    made INTEGER,
    -- Why it was skipped, who was faster, and when.
    why TEXT,
    by_whom TEXT,
    at TEXT,
    PRIMARY KEY (job_id, place),
    UNIQUE (job_id, submission_id),
    CHECK (refusal IS NULL OR result IS NULL)
);
CREATE INDEX bulk_items_next ON bulk_items (job_id, place) WHERE refusal IS NULL AND result IS NULL;
