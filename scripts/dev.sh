#!/usr/bin/env bash
# Rebuilds and restarts `denpyo demo` whenever a source file changes; arguments go to it.
set -euo pipefail
cd "$(dirname "$0")/.."
export CARGO_TARGET_DIR=$PWD/target

scripts/setup.sh
mkdir -p target
stamp=target/dev.stamp
server=

stop() {
  if [ -n "$server" ]; then
    kill "$server" 2>/dev/null || true
    wait "$server" || true
    server=
  fi
}
trap stop EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

changed() {
  # A file that goes away shows in its folder's time.
  [ -n "$(find app frontend server xtask style public migrations Cargo.toml Cargo.lock \
    -newer "$stamp" -print -quit 2>/dev/null)" ]
}

while true; do
  touch "$stamp" # Before the build, so that what changes meanwhile is built next.
  if cargo run --quiet --release --package xtask -- site --dev && cargo build --package denpyo; then
    stop
    target/debug/denpyo demo "$@" &
    server=$!
  else
    echo "That does not build yet; waiting for the next change."
  fi
  until changed; do sleep 0.5; done
  echo "Something changed."
done
