-- Which program a process that sends is.
ALTER TABLE workers ADD COLUMN version TEXT NOT NULL DEFAULT '';
