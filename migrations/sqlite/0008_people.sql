-- People: changes that are refused where somebody was faster, who is signed in, and acts about no mail.

ALTER TABLE users ADD COLUMN version INTEGER NOT NULL DEFAULT 1;
ALTER TABLE users ADD COLUMN disabled_reason TEXT;
ALTER TABLE users ADD COLUMN signed_in_at TEXT CHECK (signed_in_at GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9] [0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9]');

-- Who signed in when. A sign-in lives as long as its session does and the user's epoch is still this one.
CREATE TABLE sign_ins (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id INTEGER NOT NULL REFERENCES users (id),
    epoch INTEGER NOT NULL,
    session_id TEXT NOT NULL UNIQUE,
    at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%d %H:%M:%f000', 'now'))
        CHECK (at GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9] [0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9]')
);
CREATE INDEX sign_ins_user ON sign_ins (user_id);

-- What an act changed that is no status and no recipient. What it was about stands in detail.
ALTER TABLE audit_events ADD COLUMN before_value TEXT;
ALTER TABLE audit_events ADD COLUMN after_value TEXT;
-- The trail is read newest first, of everybody or of one.
CREATE INDEX audit_events_time ON audit_events (at, id);
CREATE INDEX audit_events_actor ON audit_events (actor, at, id);
