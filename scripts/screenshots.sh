#!/usr/bin/env bash
# Writes a picture of every page of the demo, in both languages, into docs/screenshots; set by the
# environment: FOLDER, THEME (light or dark), WIDTH (pixels), ONLY (names, by commas).
# With DENPYO_BIN in the environment that program is used, else the one that is built here.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/setup.sh browser pictures
if [ -z "${DENPYO_BIN:-}" ]; then
  scripts/build.sh
  export DENPYO_BIN=$PWD/target/release/denpyo
fi
FOLDER=$(realpath -m "${FOLDER:-docs/screenshots}")
export FOLDER
begun=$(mktemp)
trap 'rm -f "$begun"' EXIT
(cd end2end && npx playwright test --config screenshots.config.ts)
# A palette is enough for them, and a quarter of the size.
find "$FOLDER" -name '*.png' -newer "$begun" -exec pngquant --strip --speed 1 --force --ext .png {} +
