-- Search by a part of an order number or of an address.

-- What is not in the index yet. An insert writes no more than this line, so that it needs nothing of
-- the shop's SQLite; a process of Denpyo's own takes it from here into search_texts.
CREATE TABLE search_due (submission_id INTEGER PRIMARY KEY);
CREATE TRIGGER email_submissions_search AFTER INSERT ON email_submissions
BEGIN
    INSERT INTO search_due (submission_id) VALUES (NEW.id);
END;
CREATE TRIGGER email_submissions_search_again AFTER UPDATE OF recipient ON email_submissions
WHEN NEW.recipient IS NOT OLD.recipient
    AND NOT EXISTS (SELECT 1 FROM search_due WHERE submission_id = NEW.id)
BEGIN
    INSERT INTO search_due (submission_id) VALUES (NEW.id);
END;

-- Its rowid is the submission's id; addresses are in lower case.
CREATE VIRTUAL TABLE search_texts USING fts5 (order_id, recipient, tokenize = 'trigram');

-- What was there before: indexed from here downwards, beside everything else.
INSERT INTO settings (key, value)
SELECT 'search_backfill', CAST(MAX(id) AS TEXT) FROM email_submissions HAVING MAX(id) IS NOT NULL;

-- A service's id of a mail leads to the mail.
CREATE INDEX email_submissions_message ON email_submissions (substr(provider_message_id, 1, 320))
    WHERE provider_message_id IS NOT NULL;
