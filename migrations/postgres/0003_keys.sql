-- PostgreSQL reads '\v' as the letter v: keys of that letter alone were refused, and a lone vertical tab
-- was not. NOT VALID: rows that are there are not looked through.
ALTER TABLE public.email_submissions
    DROP CONSTRAINT email_submissions_order_id_check,
    DROP CONSTRAINT email_submissions_kind_check,
    ADD CONSTRAINT email_submissions_order_id_check
        CHECK (btrim(order_id, E' \t\n\r\f\x0b\u00a0\u3000') <> '') NOT VALID,
    ADD CONSTRAINT email_submissions_kind_check
        CHECK (btrim(kind, E' \t\n\r\f\x0b\u00a0\u3000') <> '') NOT VALID;
