-- Reports: what they count by, months that were closed, and what an act was about.

-- What reports count by: the month's rows by kind, from the index alone. The columns that were added
-- never change after the insert, so no claim writes more than before.
CREATE INDEX email_submissions_decided ON public.email_submissions (created_at, id) INCLUDE (kind, copy);
DROP INDEX public.email_submissions_time;
ALTER INDEX public.email_submissions_decided RENAME TO email_submissions_time;
-- The same by the time of acceptance. Partial: a row enters it when it is accepted, so that neither
-- inserts nor claims touch it.
CREATE INDEX email_submissions_sent ON public.email_submissions (sent_at, id) INCLUDE (kind, copy, created_at)
    WHERE sent_at IS NOT NULL;
-- Small sets that reports count exactly; no claim touches them either.
CREATE INDEX email_submissions_bounced ON public.email_submissions (created_at, id)
    WHERE delivery_state IN ('bounced', 'complained');
CREATE INDEX email_submissions_untimed ON public.email_submissions (created_at, id)
    WHERE status = 'synced' AND sent_at IS NULL;

-- What an act was about where it is no single mail: the month closed, the filter exported.
ALTER TABLE denpyo.audit_events ADD COLUMN detail text;

-- Months whose figures were kept, with the zone that they were counted in.
CREATE TABLE denpyo.closed_months (
    month text PRIMARY KEY,
    closed_at timestamptz NOT NULL DEFAULT now(),
    closed_by text NOT NULL,
    reason text,
    zone text NOT NULL
);
-- Their figures, a line a kind, by the day of decision and by the day of acceptance.
CREATE TABLE denpyo.closed_figures (
    month text NOT NULL REFERENCES denpyo.closed_months (month),
    basis text NOT NULL CHECK (basis IN ('decided', 'accepted')),
    kind text NOT NULL,
    total bigint NOT NULL,
    further bigint NOT NULL,
    accepted bigint NOT NULL,
    accepted_assumed bigint NOT NULL,
    bounced bigint NOT NULL,
    pending bigint NOT NULL,
    sending bigint NOT NULL,
    checking bigint NOT NULL,
    failed bigint NOT NULL,
    failed_assumed bigint NOT NULL,
    rejected bigint NOT NULL,
    canceled bigint NOT NULL,
    PRIMARY KEY (month, basis, kind)
);
CREATE TRIGGER denpyo_guard BEFORE UPDATE OR DELETE ON denpyo.closed_months
    FOR EACH ROW EXECUTE FUNCTION denpyo.guard_log();
CREATE TRIGGER denpyo_guard_truncate BEFORE TRUNCATE ON denpyo.closed_months
    FOR EACH STATEMENT EXECUTE FUNCTION denpyo.guard_log();
CREATE TRIGGER denpyo_guard BEFORE UPDATE OR DELETE ON denpyo.closed_figures
    FOR EACH ROW EXECUTE FUNCTION denpyo.guard_log();
CREATE TRIGGER denpyo_guard_truncate BEFORE TRUNCATE ON denpyo.closed_figures
    FOR EACH STATEMENT EXECUTE FUNCTION denpyo.guard_log();
