-- What became of a month's sends: tries, hours and delays, from the index alone. Partial: a row enters it
-- when it is accepted, so that neither inserts nor claims touch it.
CREATE INDEX email_submissions_accepted ON email_submissions (created_at, id, kind, provider, attempts, sent_at, not_before,
    settled_by) WHERE status = 'synced';
-- Answers that came after their question was opened: few, and found by their time.
CREATE INDEX submission_observations_late ON submission_observations (at, submission_id)
    WHERE kind = 'late_accepted';
