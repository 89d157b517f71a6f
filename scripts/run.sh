#!/usr/bin/env bash
# Builds everything and starts a demo; arguments go to `denpyo demo`.
set -euo pipefail
cd "$(dirname "$0")/.."
export CARGO_TARGET_DIR=$PWD/target

scripts/build.sh
exec target/release/denpyo demo "$@"
