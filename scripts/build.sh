#!/usr/bin/env bash
# Builds target/release/denpyo, the browser's half in it.
set -euo pipefail
cd "$(dirname "$0")/.."
export CARGO_TARGET_DIR=$PWD/target

scripts/setup.sh
echo "Building the browser's half."
cargo run --release --package xtask -- site
echo "Building the server."
cargo build --release --package denpyo
