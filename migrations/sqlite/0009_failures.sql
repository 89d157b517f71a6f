-- Failures by what went wrong.

-- What is not told apart yet: attempts ('attempt') and what was screened ('screened'), by their ids.
CREATE TABLE failure_due (
    source TEXT NOT NULL,
    source_id INTEGER NOT NULL,
    PRIMARY KEY (source, source_id)
);
-- Service, code and words without what differs from mail to mail.
CREATE TABLE failure_groups (
    hash TEXT PRIMARY KEY NOT NULL,
    provider TEXT NOT NULL,
    code INTEGER,
    text TEXT NOT NULL
);
CREATE TABLE failures (
    source TEXT NOT NULL,
    source_id INTEGER NOT NULL,
    submission_id INTEGER NOT NULL,
    at TEXT NOT NULL,
    hash TEXT NOT NULL,
    PRIMARY KEY (source, source_id)
);
CREATE INDEX failures_at ON failures (at, hash, submission_id);
CREATE INDEX failures_hash ON failures (hash, at, submission_id);

CREATE TRIGGER submission_attempts_failed AFTER UPDATE ON submission_attempts
WHEN NEW.outcome IN ('never_left', 'temporary', 'refused', 'account', 'unknown')
BEGIN
    INSERT INTO failure_due (source, source_id) VALUES ('attempt', NEW.id);
END;
CREATE TRIGGER submission_attempts_failed_before AFTER INSERT ON submission_attempts
WHEN NEW.outcome IN ('never_left', 'temporary', 'refused', 'account', 'unknown')
BEGIN
    INSERT INTO failure_due (source, source_id) VALUES ('attempt', NEW.id);
END;
CREATE TRIGGER submission_observations_screened AFTER INSERT ON submission_observations
WHEN NEW.kind = 'screened'
BEGIN
    INSERT INTO failure_due (source, source_id) VALUES ('screened', NEW.id);
END;

-- What failed before.
INSERT INTO failure_due (source, source_id)
SELECT 'attempt', id FROM submission_attempts
WHERE outcome IN ('never_left', 'temporary', 'refused', 'account', 'unknown')
UNION ALL SELECT 'screened', id FROM submission_observations WHERE kind = 'screened';
