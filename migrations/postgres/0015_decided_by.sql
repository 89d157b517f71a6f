-- Who put a mail in, where it was no insert of another program's: `api`, `api` and a token's name, `denpyo enqueue`,
-- or the name of who made the further copy. NULL costs an insert nothing.
ALTER TABLE public.email_submissions ADD COLUMN decided_by text;
CREATE FUNCTION denpyo.guard_decided() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'email_submissions: who put a row in never changes' USING ERRCODE = 'check_violation';
END $$;
CREATE TRIGGER denpyo_guard_decided BEFORE UPDATE OF decided_by ON public.email_submissions
    FOR EACH ROW WHEN (NEW.decided_by IS DISTINCT FROM OLD.decided_by) EXECUTE FUNCTION denpyo.guard_decided();
-- Of the mails up to this one nobody wrote it down. The table is locked since the first line: no insert is under way.
INSERT INTO denpyo.settings (key, value)
SELECT 'decided_by_after', COALESCE(MAX(id), 0)::text FROM public.email_submissions;
