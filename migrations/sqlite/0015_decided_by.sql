-- Who put a mail in, where it was no insert of another program's: `api`, `api` and a token's name, `denpyo enqueue`,
-- or the name of who made the further copy. NULL costs an insert nothing.
ALTER TABLE email_submissions ADD COLUMN decided_by TEXT;
CREATE TRIGGER email_submissions_decided BEFORE UPDATE OF decided_by ON email_submissions
WHEN NEW.decided_by IS NOT OLD.decided_by
BEGIN
    SELECT RAISE(ABORT, 'email_submissions: who put a row in never changes');
END;
-- Of the mails up to this one nobody wrote it down.
INSERT INTO settings (key, value) SELECT 'decided_by_after', CAST(COALESCE(MAX(id), 0) AS TEXT) FROM email_submissions;
