#!/usr/bin/env bash
# Kills workers, lets the mail service misbehave, and prints what became of the mails. The size is
# set by the environment: ORDERS, KILLS, SEED, DB (sqlite or postgres), RATE, ONLY (hold,synced,…).
# With DENPYO_BIN in the environment that program is used, else the one that is built here.
set -euo pipefail
cd "$(dirname "$0")/.."
export CARGO_TARGET_DIR=$PWD/target

if [ -z "${DENPYO_BIN:-}" ]; then
  scripts/build.sh >&2
  DENPYO_BIN=target/release/denpyo
fi
cargo build --release --package chaos >&2

db=${DB:-sqlite}
chaos=(target/release/chaos --denpyo "$DENPYO_BIN" --db "$db" --folder "target/chaos/$db")
[ -z "${ORDERS:-}" ] || chaos+=(--orders "$ORDERS")
[ -z "${KILLS:-}" ] || chaos+=(--kills "$KILLS")
[ -z "${SEED:-}" ] || chaos+=(--seed "$SEED")
[ -z "${RATE:-}" ] || chaos+=(--rate "$RATE")
[ -z "${ONLY:-}" ] || chaos+=(--only "$ONLY")
if [ "$db" = postgres ]; then
  scripts/setup.sh postgres >&2
  scripts/with-postgres.sh "${chaos[@]}"
else
  "${chaos[@]}"
fi
