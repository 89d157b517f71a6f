-- Which program a process that sends is.
ALTER TABLE denpyo.workers ADD COLUMN version text NOT NULL DEFAULT '';
