-- Resending many mails: what was seen, frozen, and what became of each.

CREATE TABLE denpyo.bulk_jobs (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    state text NOT NULL DEFAULT 'preview' CHECK (state IN ('preview', 'running', 'stopped', 'done')),
    -- The list's filter, as its URL had it.
    query text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    created_by text NOT NULL,
    reason text,
    started_at timestamptz,
    started_by text,
    ended_at timestamptz,
    stopped_by text,
    -- The process that works on it, and until when nobody else does.
    lease_owner text,
    lease_until timestamptz,
    CHECK (state = 'preview' OR (reason IS NOT NULL AND started_at IS NOT NULL AND started_by IS NOT NULL))
);
CREATE INDEX bulk_jobs_running ON denpyo.bulk_jobs (id) WHERE state = 'running';

CREATE TABLE denpyo.bulk_items (
    job_id bigint NOT NULL REFERENCES denpyo.bulk_jobs (id),
    place int NOT NULL,
    submission_id bigint NOT NULL REFERENCES public.email_submissions (id),
    -- The row as it was seen: another one is not resent.
    version bigint NOT NULL,
    attempt int NOT NULL,
    -- Why it was left out from the beginning.
    refusal text,
    result text CHECK (result IN ('resent', 'skipped')),
    -- The attempt that it began.
    made int,
    -- Why it was skipped, who was faster, and when.
    why text,
    by_whom text,
    at timestamptz,
    PRIMARY KEY (job_id, place),
    UNIQUE (job_id, submission_id),
    CHECK (refusal IS NULL OR result IS NULL)
);
CREATE INDEX bulk_items_next ON denpyo.bulk_items (job_id, place) WHERE refusal IS NULL AND result IS NULL;
