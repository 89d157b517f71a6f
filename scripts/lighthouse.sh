#!/usr/bin/env bash
# Lighthouse (desktop preset, Debian's Chromium) over overview, list, detail and report of the demo, in both
# languages; set by the environment: FOLDER, where its reports go.
# With DENPYO_BIN in the environment that program is used, else the one that is built here.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/setup.sh browser
if [ -z "${DENPYO_BIN:-}" ]; then
  scripts/build.sh
  export DENPYO_BIN=$PWD/target/release/denpyo
fi
export FOLDER=$(realpath -m "${FOLDER:-target/lighthouse}")
cd end2end/lighthouse
[ -d node_modules ] || npm ci --silent
node run.mjs
