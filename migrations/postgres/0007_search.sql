-- Search by a part of an order number or of an address. The indexes are made by a running process, not
-- here: the one needs the extension pg_trgm, the other would keep the shop waiting.

-- What is not in the index yet; a process of Denpyo's takes it from here into search_texts.
CREATE TABLE denpyo.search_due (
    submission_id bigint PRIMARY KEY,
    -- Goes up when the row changes once more: who does so waits for whoever is taking it.
    changes int NOT NULL DEFAULT 1
);
-- Addresses are in lower case. Apart from the mails, whose every change would otherwise pay for it.
CREATE TABLE denpyo.search_texts (
    submission_id bigint PRIMARY KEY,
    order_id text COLLATE "C" NOT NULL,
    recipient text COLLATE "C" NOT NULL
);

-- As its owner, since the shop's role need not see the schema.
CREATE FUNCTION denpyo.search_again() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = denpyo AS $$
BEGIN
    INSERT INTO denpyo.search_due (submission_id) VALUES (NEW.id)
        ON CONFLICT (submission_id) DO UPDATE SET changes = search_due.changes + 1;
    RETURN NULL;
END $$;
CREATE TRIGGER denpyo_search AFTER INSERT ON public.email_submissions
    FOR EACH ROW EXECUTE FUNCTION denpyo.search_again();
CREATE TRIGGER denpyo_search_again AFTER UPDATE OF recipient ON public.email_submissions
    FOR EACH ROW WHEN (NEW.recipient IS DISTINCT FROM OLD.recipient) EXECUTE FUNCTION denpyo.search_again();

-- What was there before: indexed from here downwards, beside everything else.
INSERT INTO denpyo.settings (key, value)
SELECT 'search_backfill', CAST(MAX(id) AS text) FROM public.email_submissions HAVING MAX(id) IS NOT NULL;
