-- Tokens of the API, by the SHA-256 of what programs send. A name is never used twice, so that acts in the
-- audit trail have one author.
CREATE TABLE denpyo.api_tokens (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL UNIQUE CHECK (name <> ''),
    hash text NOT NULL UNIQUE CHECK (length(hash) = 64),
    scope text NOT NULL CHECK (scope IN ('read', 'write')),
    created_by text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    -- To the hour.
    used_at timestamptz,
    ended_at timestamptz,
    ended_by text,
    end_reason text,
    CHECK ((ended_at IS NULL) = (ended_by IS NULL) AND (ended_at IS NULL) = (end_reason IS NULL))
);
