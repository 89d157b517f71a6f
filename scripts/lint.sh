#!/usr/bin/env bash
# Format and lints.
set -euo pipefail
cd "$(dirname "$0")/.."

echo "Checking the format."
cargo fmt --all --check
echo "Checking with clippy, as the server sees it and then as the browser does."
cargo clippy --all-targets -- -D warnings
cargo clippy --package frontend --all-targets -- -D warnings
cargo clippy --package chaos --all-targets -- -D warnings
