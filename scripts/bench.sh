#!/usr/bin/env bash
# Fills databases with mails and prints how long the desk's reads take, beside a read by primary key.
# Set by the environment: ROWS (1000000), DB (sqlite or postgres; both where it is not set).
set -euo pipefail
cd "$(dirname "$0")/.."
export CARGO_TARGET_DIR=$PWD/target

rows=${ROWS:-1000000}
scripts/setup.sh postgres >&2
cargo build --release --package denpyo --example bench >&2
bench=target/release/examples/bench

if [ "${DB:-sqlite}" = sqlite ]; then
  folder=$(mktemp -d "${TMPDIR:-/tmp}/denpyo-bench.XXXXXX")
  trap 'rm -rf "$folder"' EXIT
  "$bench" "sqlite:$folder/denpyo.db" "$rows"
fi
if [ "${DB:-postgres}" = postgres ]; then
  # shellcheck disable=SC2016 # the inner shell's variable
  scripts/with-postgres.sh sh -c '"$0" "$DENPYO_TEST_POSTGRES_URL" "$1"' "$bench" "$rows"
fi
