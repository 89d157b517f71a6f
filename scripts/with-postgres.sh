#!/usr/bin/env bash
# scripts/with-postgres.sh COMMAND…: runs it with DENPYO_TEST_POSTGRES_URL naming a PostgreSQL in
# which it may do as it likes: the one that is named already, or else one of its own that lives in
# a temporary folder and goes when the command ends.
set -euo pipefail

if [ -n "${DENPYO_TEST_POSTGRES_URL:-}" ]; then
  exec "$@"
fi

here=$(cd "$(dirname "$0")" && pwd)
if ! bin=$("$here/postgres-bin.sh"); then
  echo "PostgreSQL's programs are missing: scripts/setup.sh postgres" >&2
  exit 1
fi

# A short path: a socket's may have no more than 107 bytes.
folder=$(mktemp -d /tmp/denpyo-postgres.XXXXXX)
as_postgres=()
if [ "$(id -u)" = 0 ]; then
  # PostgreSQL refuses to run as root.
  as_postgres=(runuser -u postgres --)
  chown postgres "$folder"
fi

postgres() {
  # From the folder itself, since the user postgres may not be let into this one.
  (cd "$folder" && "${as_postgres[@]}" "$bin/$1" "${@:2}" >>"$folder.log" 2>&1)
}

finish() {
  status=$?
  trap - EXIT
  postgres pg_ctl stop --pgdata="$folder/data" --mode=immediate || true
  rm -rf "$folder" "$folder.log"
  exit "$status"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# The locale decides what counts as a letter: in "C", trigrams skip Japanese.
# Durable enough for what is thrown away; synchronous_commit stays on, as Denpyo checks it.
if ! {
  postgres initdb --pgdata="$folder/data" --username=postgres --auth=trust --encoding=UTF8 \
    --locale=C.UTF-8 --no-sync &&
    postgres pg_ctl start --pgdata="$folder/data" --log="$folder/server.log" --wait --options="\
      -c listen_addresses='' -c unix_socket_directories=$folder \
      -c fsync=off -c full_page_writes=off \
      -c max_connections=200 -c max_prepared_transactions=10"
}; then
  echo "PostgreSQL does not start:" >&2
  cat "$folder.log" "$folder/server.log" >&2 || true
  exit 1
fi

export DENPYO_TEST_POSTGRES_URL="postgres:///postgres?host=$folder&user=postgres"
"$@"
