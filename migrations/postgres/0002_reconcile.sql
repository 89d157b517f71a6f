-- Asking services afterwards, and holding rows for a person.

-- Who holds a row: 'hold' (a person, by denpyo hold), 'installation' (a restore or a clone), 'age'.
ALTER TABLE public.email_submissions ADD COLUMN held_by text;
-- Age counts anew from here: somebody looked, and let it go.
ALTER TABLE public.email_submissions ADD COLUMN released_at timestamptz;
-- A replay under way: nobody else settles the row meanwhile, and it ends with the lease.
ALTER TABLE public.email_submissions ADD COLUMN replay_token text;

-- Open questions, one a row: when to ask next. A schedule, not a record: what was asked and
-- answered stands in submission_observations.
CREATE TABLE denpyo.lookups (
    submission_id bigint PRIMARY KEY REFERENCES public.email_submissions (id),
    attempt int NOT NULL,
    -- The lease's end of that attempt: the horizon counts from here.
    lease_until timestamptz NOT NULL,
    next_at timestamptz NOT NULL,
    asked int NOT NULL DEFAULT 0,
    -- The process whose clock remembers the first "not found".
    asker text,
    -- No more asking: a person has to find out.
    ended boolean NOT NULL DEFAULT false,
    -- Answers in a row that said neither yes nor no.
    unclear int NOT NULL DEFAULT 0
);
CREATE INDEX lookups_due ON denpyo.lookups (next_at) WHERE NOT ended;

-- The request of an attempt at a service that knows idempotency keys: a replay must be the same.
CREATE TABLE denpyo.attempt_requests (
    submission_id bigint NOT NULL REFERENCES public.email_submissions (id),
    attempt int NOT NULL,
    digest text NOT NULL,
    PRIMARY KEY (submission_id, attempt)
);

-- Conditions that somebody was told of, and that are not over yet.
CREATE TABLE denpyo.alerts (
    condition text PRIMARY KEY,
    since timestamptz NOT NULL,
    told_at timestamptz NOT NULL
);

-- What services told by themselves, to be found again quickly when it is told again.
CREATE INDEX submission_observations_kind ON denpyo.submission_observations (submission_id, kind);

-- A mail without not_before is due at once, whatever the clock said when it was inserted.
DROP INDEX public.email_submissions_pending;
CREATE INDEX email_submissions_pending ON public.email_submissions (created_at, id)
    WHERE status = 'pending' AND held_reason IS NULL AND not_before IS NULL;
CREATE INDEX email_submissions_postponed ON public.email_submissions (not_before, id)
    WHERE status = 'pending' AND held_reason IS NULL AND not_before IS NOT NULL;
