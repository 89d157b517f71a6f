#!/usr/bin/env bash
# What is quick to say about the code: format, lints, licences, unit tests.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/lint.sh
# cargo-deny is not needed to build or test; where it is installed, it has a say.
if command -v cargo-deny >/dev/null; then
  echo "Checking licences and sources."
  cargo deny --offline check licenses bans sources
fi
echo "Running the unit tests."
scripts/setup.sh postgres
scripts/with-postgres.sh cargo test --lib --bins
