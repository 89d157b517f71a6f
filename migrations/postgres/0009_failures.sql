-- Failures by what went wrong.

-- What is not told apart yet: attempts ('attempt') and what was screened ('screened'), by their ids.
CREATE TABLE denpyo.failure_due (
    source text NOT NULL,
    source_id bigint NOT NULL,
    PRIMARY KEY (source, source_id)
);
-- Service, code and words without what differs from mail to mail.
CREATE TABLE denpyo.failure_groups (
    hash text PRIMARY KEY,
    provider text NOT NULL,
    code int,
    text text NOT NULL
);
CREATE TABLE denpyo.failures (
    source text NOT NULL,
    source_id bigint NOT NULL,
    submission_id bigint NOT NULL,
    at timestamptz NOT NULL,
    hash text NOT NULL,
    PRIMARY KEY (source, source_id)
);
CREATE INDEX failures_at ON denpyo.failures (at, hash, submission_id);
CREATE INDEX failures_hash ON denpyo.failures (hash, at, submission_id);

CREATE FUNCTION denpyo.note_failure() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO denpyo.failure_due (source, source_id) VALUES (TG_ARGV[0], NEW.id);
    RETURN NULL;
END $$;
CREATE TRIGGER denpyo_failed AFTER INSERT OR UPDATE ON denpyo.submission_attempts
    FOR EACH ROW WHEN (NEW.outcome IN ('never_left', 'temporary', 'refused', 'account', 'unknown'))
    EXECUTE FUNCTION denpyo.note_failure('attempt');
CREATE TRIGGER denpyo_screened AFTER INSERT ON denpyo.submission_observations
    FOR EACH ROW WHEN (NEW.kind = 'screened') EXECUTE FUNCTION denpyo.note_failure('screened');

-- What failed before.
INSERT INTO denpyo.failure_due (source, source_id)
SELECT 'attempt', id FROM denpyo.submission_attempts
WHERE outcome IN ('never_left', 'temporary', 'refused', 'account', 'unknown')
UNION ALL SELECT 'screened', id FROM denpyo.submission_observations WHERE kind = 'screened';
