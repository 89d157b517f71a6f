#!/usr/bin/env bash
# All tests; with T=NAME in the environment, those with NAME in their name.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/setup.sh postgres browser
if [ -z "${T:-}" ]; then
  scripts/lint.sh
fi
echo "Running the Rust tests."
scripts/with-postgres.sh cargo test ${T:+"$T"}
cargo test --package chaos ${T:+"$T"}

scripts/build.sh
echo "Running the browser tests."
export DENPYO_BIN=$PWD/target/release/denpyo
cd end2end
../scripts/with-postgres.sh npx playwright test ${T:+--grep "$T" --pass-with-no-tests}
