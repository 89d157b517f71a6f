-- Reports: what they count by, months that were closed, and what an act was about.

-- What reports count by: the month's rows by kind, from the index alone. The columns that were added
-- never change after the insert, so no claim writes more than before.
DROP INDEX email_submissions_time;
CREATE INDEX email_submissions_time ON email_submissions (created_at, id, kind, copy);
-- The same by the time of acceptance. Partial: a row enters it when it is accepted, so that neither
-- inserts nor claims touch it.
CREATE INDEX email_submissions_sent ON email_submissions (sent_at, id, kind, copy, created_at)
    WHERE sent_at IS NOT NULL;
-- Small sets that reports count exactly; no claim touches them either.
CREATE INDEX email_submissions_bounced ON email_submissions (created_at, id)
    WHERE delivery_state IN ('bounced', 'complained');
CREATE INDEX email_submissions_untimed ON email_submissions (created_at, id)
    WHERE status = 'synced' AND sent_at IS NULL;

-- What an act was about where it is no single mail: the month closed, the filter exported.
ALTER TABLE audit_events ADD COLUMN detail TEXT;

-- Months whose figures were kept, with the zone that they were counted in.
CREATE TABLE closed_months (
    month TEXT PRIMARY KEY NOT NULL,
    closed_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%d %H:%M:%f000', 'now'))
        CHECK (closed_at GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9] [0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9]'),
    closed_by TEXT NOT NULL,
    reason TEXT,
    zone TEXT NOT NULL
);
-- Their figures, a line a kind, by the day of decision and by the day of acceptance.
CREATE TABLE closed_figures (
    month TEXT NOT NULL REFERENCES closed_months (month),
    basis TEXT NOT NULL CHECK (basis IN ('decided', 'accepted')),
    kind TEXT NOT NULL,
    total INTEGER NOT NULL,
    further INTEGER NOT NULL,
    accepted INTEGER NOT NULL,
    accepted_assumed INTEGER NOT NULL,
    bounced INTEGER NOT NULL,
    pending INTEGER NOT NULL,
    sending INTEGER NOT NULL,
    checking INTEGER NOT NULL,
    failed INTEGER NOT NULL,
    failed_assumed INTEGER NOT NULL,
    rejected INTEGER NOT NULL,
    canceled INTEGER NOT NULL,
    PRIMARY KEY (month, basis, kind)
);
CREATE TRIGGER closed_months_update BEFORE UPDATE ON closed_months
BEGIN
    SELECT RAISE(ABORT, 'closed_months: rows are never changed or deleted');
END;
CREATE TRIGGER closed_months_delete BEFORE DELETE ON closed_months
BEGIN
    SELECT RAISE(ABORT, 'closed_months: rows are never changed or deleted');
END;
CREATE TRIGGER closed_figures_update BEFORE UPDATE ON closed_figures
BEGIN
    SELECT RAISE(ABORT, 'closed_figures: rows are never changed or deleted');
END;
CREATE TRIGGER closed_figures_delete BEFORE DELETE ON closed_figures
BEGIN
    SELECT RAISE(ABORT, 'closed_figures: rows are never changed or deleted');
END;
