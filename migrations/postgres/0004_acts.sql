-- A deliberate further copy: the act stands on its original's time-line, and on the copy's own.
ALTER TABLE denpyo.audit_events ADD COLUMN copy_id bigint REFERENCES public.email_submissions (id);
CREATE INDEX audit_events_copy ON denpyo.audit_events (copy_id) WHERE copy_id IS NOT NULL;
