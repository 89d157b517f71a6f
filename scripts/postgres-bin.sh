#!/usr/bin/env bash
# Prints the folder of PostgreSQL's programs: Debian's newest, or else the one in PATH.
set -euo pipefail
for folder in $(printf '%s\n' /usr/lib/postgresql/*/bin | sort --version-sort --reverse); do
  if [ -x "$folder/initdb" ] && [ -x "$folder/postgres" ]; then
    echo "$folder"
    exit
  fi
done
initdb=$(command -v initdb)
dirname "$initdb"
