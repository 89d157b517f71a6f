-- The outbox, on PostgreSQL: the one table that outsiders use in public, everything else in the
-- schema denpyo.

CREATE TABLE public.email_submissions (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    ref uuid NOT NULL UNIQUE DEFAULT gen_random_uuid(),
    order_id text NOT NULL CHECK (btrim(order_id, E' \t\n\r\f\v\u00a0\u3000') <> ''),
    kind text NOT NULL CHECK (btrim(kind, E' \t\n\r\f\v\u00a0\u3000') <> ''),
    occasion text NOT NULL DEFAULT '',
    copy int NOT NULL DEFAULT 0 CHECK (copy >= 0),
    original_id bigint REFERENCES public.email_submissions (id),
    -- Content is looked through before the claim; a fault in it must not fail the shop's insert.
    recipient text,
    subject text,
    body_text text,
    body_html text,
    reply_to text,
    sender text,
    -- The recipient as first inserted, once a person has corrected it.
    first_recipient text,
    status text NOT NULL DEFAULT 'pending'
        CHECK (status IN ('pending', 'requesting', 'synced', 'failed', 'rejected', 'canceled')),
    settled_by text CHECK (settled_by IN ('response', 'lookup', 'webhook', 'person', 'assumed', 'imported')),
    attempts int NOT NULL DEFAULT 0,
    -- Attempts that count against DENPYO_MAX_ATTEMPTS.
    attempts_counted int NOT NULL DEFAULT 0,
    error text,
    held_reason text,
    version bigint NOT NULL DEFAULT 1,
    provider text,
    provider_message_id text,
    delivery_state text CHECK (delivery_state IN ('delivered', 'bounced', 'complained')),
    delivery_at timestamptz,
    possible_duplicate boolean NOT NULL DEFAULT false,
    claim_token text,
    claimed_from text,
    claimed_at timestamptz,
    unknown_at timestamptz,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    not_before timestamptz,
    next_attempt_at timestamptz,
    lease_until timestamptz,
    sent_at timestamptz,
    UNIQUE (order_id, kind, occasion, copy),
    CHECK (status <> 'requesting'
        OR (claim_token IS NOT NULL AND claimed_at IS NOT NULL AND lease_until IS NOT NULL)),
    -- Years 1 to 9999: nobody could read a row from beyond, infinity included.
    CHECK (LEAST(delivery_at, claimed_at, unknown_at, created_at,
        updated_at, not_before, next_attempt_at, lease_until, sent_at) >= '0001-01-01 00:00:00+00'
        AND GREATEST(delivery_at, claimed_at, unknown_at, created_at,
        updated_at, not_before, next_attempt_at, lease_until, sent_at) < '10000-01-01 00:00:00+00')
);

-- What workers take: the waiting and the due.
CREATE INDEX email_submissions_pending ON public.email_submissions (COALESCE(not_before, created_at), id)
    WHERE status = 'pending' AND held_reason IS NULL;
CREATE INDEX email_submissions_retry ON public.email_submissions (next_attempt_at, id)
    WHERE status = 'failed' AND held_reason IS NULL AND next_attempt_at IS NOT NULL;
CREATE INDEX email_submissions_open ON public.email_submissions (lease_until) WHERE status = 'requesting';
-- What the desk reads: newest first, and the small sets counted exactly.
CREATE INDEX email_submissions_time ON public.email_submissions (created_at, id);
CREATE INDEX email_submissions_unsettled ON public.email_submissions (status, created_at, id)
    WHERE status <> 'synced';
CREATE INDEX email_submissions_held ON public.email_submissions (created_at, id) WHERE held_reason IS NOT NULL;
CREATE INDEX email_submissions_assumed ON public.email_submissions (status) WHERE settled_by = 'assumed';
-- Collation "C": lower() of ASCII letters alone, as SQLite has it.
CREATE INDEX email_submissions_recipient
    ON public.email_submissions (substr(lower(recipient COLLATE "C"), 1, 320));

CREATE FUNCTION denpyo.guard_submission() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        IF NEW.status <> 'pending' OR NEW.attempts <> 0 OR NEW.claim_token IS NOT NULL
            OR NEW.settled_by IS NOT NULL OR NEW.sent_at IS NOT NULL OR NEW.version <> 1
            OR NEW.attempts_counted <> 0 OR NEW.error IS NOT NULL OR NEW.provider IS NOT NULL
            OR NEW.provider_message_id IS NOT NULL OR NEW.lease_until IS NOT NULL
            OR NEW.unknown_at IS NOT NULL OR NEW.id > 4611686018427387904 THEN
            RAISE EXCEPTION 'email_submissions: a row is inserted as pending and unsent'
                USING ERRCODE = 'check_violation';
        END IF;
        RETURN NEW;
    END IF;
    IF TG_OP <> 'UPDATE' THEN
        RAISE EXCEPTION 'email_submissions: rows are never deleted' USING ERRCODE = 'check_violation';
    END IF;
    IF NEW.version <= OLD.version OR NEW.id <> OLD.id OR NEW.ref <> OLD.ref
        OR NEW.order_id <> OLD.order_id OR NEW.kind <> OLD.kind OR NEW.occasion <> OLD.occasion
        OR NEW.copy <> OLD.copy OR NEW.created_at <> OLD.created_at THEN
        RAISE EXCEPTION 'email_submissions: identity never changes, and version goes up at every change'
            USING ERRCODE = 'check_violation';
    END IF;
    IF NEW.status <> OLD.status AND NOT (
           (OLD.status = 'pending' AND NEW.status IN ('requesting', 'rejected', 'canceled', 'synced'))
        OR (OLD.status = 'requesting' AND NEW.status IN ('pending', 'failed', 'synced', 'rejected'))
        OR (OLD.status = 'failed' AND NEW.status IN ('requesting', 'synced', 'canceled'))
        OR (OLD.status = 'rejected' AND NEW.status IN ('requesting', 'synced', 'canceled'))
        OR (OLD.status = 'canceled' AND NEW.status = 'synced')
        OR (OLD.status = 'synced' AND OLD.settled_by IS NOT DISTINCT FROM 'assumed'
            AND NEW.status = 'failed')) THEN
        RAISE EXCEPTION 'email_submissions: this change of status is not one of the state machine'
            USING ERRCODE = 'check_violation', DETAIL = OLD.status || ' to ' || NEW.status;
    END IF;
    -- In brackets: IF reads up to the first THEN.
    IF (CASE WHEN NEW.status = 'requesting' AND OLD.status <> 'requesting'
        THEN NEW.attempts <> OLD.attempts + 1 OR NEW.claim_token IS NULL
            OR NEW.claim_token IS NOT DISTINCT FROM OLD.claim_token
        ELSE NEW.attempts <> OLD.attempts
            OR (NEW.status = 'requesting' AND NEW.claim_token IS DISTINCT FROM OLD.claim_token) END) THEN
        RAISE EXCEPTION 'email_submissions: a claim counts the attempt and sets a token of its own'
            USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER denpyo_guard BEFORE INSERT OR UPDATE OR DELETE ON public.email_submissions
    FOR EACH ROW EXECUTE FUNCTION denpyo.guard_submission();
CREATE TRIGGER denpyo_guard_truncate BEFORE TRUNCATE ON public.email_submissions
    FOR EACH STATEMENT EXECUTE FUNCTION denpyo.guard_submission();

-- Tables whose rows are never changed or deleted; an attempt may be closed, once.
CREATE FUNCTION denpyo.guard_log() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '%: rows are never changed or deleted', TG_TABLE_NAME USING ERRCODE = 'check_violation';
END $$;

-- One row an attempt, closed once.
CREATE TABLE denpyo.submission_attempts (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    submission_id bigint NOT NULL REFERENCES public.email_submissions (id),
    attempt int NOT NULL,
    claim_token text NOT NULL,
    worker text NOT NULL,
    actor text,
    recipient text,
    provider text NOT NULL,
    account text NOT NULL,
    claimed_at timestamptz NOT NULL,
    lease_until timestamptz NOT NULL,
    closed_at timestamptz,
    outcome text CHECK (outcome IN
        ('accepted', 'never_left', 'temporary', 'refused', 'account', 'unknown', 'released')),
    cause text,
    code int,
    error text,
    provider_message_id text,
    took_ms bigint,
    next_attempt_at timestamptz,
    UNIQUE (submission_id, attempt),
    CHECK ((closed_at IS NULL) = (outcome IS NULL))
);
CREATE FUNCTION denpyo.guard_attempt() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.closed_at IS NOT NULL OR NEW.closed_at IS NULL OR NEW.submission_id <> OLD.submission_id
        OR NEW.attempt <> OLD.attempt OR NEW.claim_token <> OLD.claim_token THEN
        RAISE EXCEPTION 'submission_attempts: an attempt is closed once and never changed'
            USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER denpyo_guard BEFORE UPDATE ON denpyo.submission_attempts
    FOR EACH ROW EXECUTE FUNCTION denpyo.guard_attempt();
CREATE TRIGGER denpyo_guard_delete BEFORE DELETE ON denpyo.submission_attempts
    FOR EACH ROW EXECUTE FUNCTION denpyo.guard_log();
CREATE TRIGGER denpyo_guard_truncate BEFORE TRUNCATE ON denpyo.submission_attempts
    FOR EACH STATEMENT EXECUTE FUNCTION denpyo.guard_log();

-- What was learnt beside an attempt's own answer.
CREATE TABLE denpyo.submission_observations (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    submission_id bigint NOT NULL REFERENCES public.email_submissions (id),
    attempt int,
    at timestamptz NOT NULL DEFAULT now(),
    kind text NOT NULL,
    provider text,
    detail text
);
CREATE INDEX submission_observations_submission ON denpyo.submission_observations (submission_id, id);
CREATE TRIGGER denpyo_guard BEFORE UPDATE OR DELETE ON denpyo.submission_observations
    FOR EACH ROW EXECUTE FUNCTION denpyo.guard_log();
CREATE TRIGGER denpyo_guard_truncate BEFORE TRUNCATE ON denpyo.submission_observations
    FOR EACH STATEMENT EXECUTE FUNCTION denpyo.guard_log();

-- What people did, written in the same transaction as the act.
CREATE TABLE denpyo.audit_events (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at timestamptz NOT NULL DEFAULT now(),
    actor text NOT NULL,
    act text NOT NULL,
    submission_id bigint REFERENCES public.email_submissions (id),
    reason text,
    before_status text,
    after_status text,
    before_recipient text,
    after_recipient text,
    attempt int,
    version_seen bigint,
    request_id text
);
CREATE INDEX audit_events_submission ON denpyo.audit_events (submission_id, id);
CREATE UNIQUE INDEX audit_events_request ON denpyo.audit_events (submission_id, act, request_id)
    WHERE request_id IS NOT NULL;
CREATE TRIGGER denpyo_guard BEFORE UPDATE OR DELETE ON denpyo.audit_events
    FOR EACH ROW EXECUTE FUNCTION denpyo.guard_log();
CREATE TRIGGER denpyo_guard_truncate BEFORE TRUNCATE ON denpyo.audit_events
    FOR EACH STATEMENT EXECUTE FUNCTION denpyo.guard_log();

-- A service that refuses the account is not asked again before paused_until.
CREATE TABLE denpyo.service_pauses (
    provider text NOT NULL,
    account text NOT NULL,
    paused_since timestamptz NOT NULL,
    paused_until timestamptz NOT NULL,
    pauses int NOT NULL DEFAULT 1,
    code int,
    PRIMARY KEY (provider, account)
);

CREATE TABLE denpyo.workers (
    name text PRIMARY KEY,
    resends_only boolean NOT NULL,
    started_at timestamptz NOT NULL,
    seen_at timestamptz NOT NULL,
    in_flight bigint NOT NULL,
    accepted_last_hour bigint NOT NULL
);

CREATE TABLE denpyo.settings (
    key text PRIMARY KEY,
    value text NOT NULL
);

CREATE TABLE denpyo.users (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL UNIQUE,
    role text NOT NULL CHECK (role IN ('support', 'lead', 'admin')),
    password_hash text NOT NULL,
    disabled boolean NOT NULL DEFAULT false,
    -- Sessions opened under an earlier epoch are over.
    epoch bigint NOT NULL DEFAULT 0,
    created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE denpyo.tower_sessions (
    id text PRIMARY KEY NOT NULL,
    data bytea NOT NULL,
    expiry_date timestamptz NOT NULL
);

-- Wakes idle workers at commit. No payload: a hint beside polling, never the only signal. It runs
-- as its owner, since the shop's role need not see the schema. Switched off by the setting
-- 'notify', because two-phase transactions cannot notify.
CREATE FUNCTION denpyo.wake() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = denpyo AS $$
BEGIN
    IF NOT EXISTS (SELECT 1 FROM denpyo.settings WHERE key = 'notify' AND value = 'off') THEN
        NOTIFY denpyo;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER denpyo_wake AFTER INSERT ON public.email_submissions
    FOR EACH STATEMENT EXECUTE FUNCTION denpyo.wake();
