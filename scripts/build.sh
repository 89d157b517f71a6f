#!/usr/bin/env bash
# Builds target/release/denpyo, the browser's half in it.
set -euo pipefail
cd "$(dirname "$0")/.."
export CARGO_TARGET_DIR=$PWD/target

scripts/setup.sh
echo "Building the browser's half."
cargo build --release --package xtask
# The server's libraries fill what the browser's half leaves idle of the cores. It is stopped where it
# comes as far as the server itself, which takes the browser's half in.
set -m # a process group of its own, so that its compilers end with it
nice -n 19 cargo build --release --package denpyo --quiet &
beside=$!
set +m
stop_beside() {
  kill -- -$beside 2>/dev/null || true
  wait $beside 2>/dev/null || true
}
trap stop_beside EXIT
target/release/xtask site
stop_beside
trap - EXIT
echo "Building the server."
cargo build --release --package denpyo
