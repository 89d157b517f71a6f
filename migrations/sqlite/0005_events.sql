-- An event that is told again is found by its time as well: a mail may have very many of one kind.
CREATE INDEX submission_observations_at ON submission_observations (submission_id, kind, at);
DROP INDEX submission_observations_kind;
