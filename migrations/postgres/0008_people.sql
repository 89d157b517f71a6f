-- People: changes that are refused where somebody was faster, who is signed in, and acts about no mail.

ALTER TABLE denpyo.users
    ADD COLUMN version bigint NOT NULL DEFAULT 1,
    ADD COLUMN disabled_reason text,
    ADD COLUMN signed_in_at timestamptz;

-- Who signed in when. A sign-in lives as long as its session does and the user's epoch is still this one.
CREATE TABLE denpyo.sign_ins (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    user_id bigint NOT NULL REFERENCES denpyo.users (id),
    epoch bigint NOT NULL,
    session_id text NOT NULL UNIQUE,
    at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX sign_ins_user ON denpyo.sign_ins (user_id);

-- What an act changed that is no status and no recipient. What it was about stands in detail.
ALTER TABLE denpyo.audit_events ADD COLUMN before_value text, ADD COLUMN after_value text;
-- The trail is read newest first, of everybody or of one.
CREATE INDEX audit_events_time ON denpyo.audit_events (at, id);
CREATE INDEX audit_events_actor ON denpyo.audit_events (actor, at, id);
