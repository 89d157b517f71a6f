#!/usr/bin/env bash
# Installs what building Denpyo needs and this machine lacks; with "postgres" and "browser" as
# arguments, what its tests need of those, too; with "pictures", what makes screenshots small.
# Quick and silent where nothing is missing.
set -euo pipefail
cd "$(dirname "$0")/.."

as_root=()
[ "$(id -u)" = 0 ] || as_root=(sudo)
apt_log=target/apt-get.log
lists_are_fresh=

apt() {
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300 "$@" \
    </dev/null >>"$apt_log" 2>&1
}

add() {
  if ! command -v apt-get >/dev/null; then
    echo "Missing here: $*. Install them the way your system does (these are Debian's names)." >&2
    exit 1
  fi
  echo "Installing $* with apt-get."
  if [ -z "$lists_are_fresh" ]; then
    mkdir -p target
    : >"$apt_log"
    apt update || true # One list that cannot be had need not matter.
    lists_are_fresh=yes
  fi
  # --no-remove: nothing that is here already is given up for it.
  if ! apt install -y --no-remove --no-install-recommends "$@"; then
    echo "That failed; what apt-get said is in $apt_log." >&2
    exit 1
  fi
}

rust_compiles_to_wasm() {
  [ -d "$(rustc --print target-libdir --target wasm32-unknown-unknown 2>/dev/null)" ]
}

debians_rust_compiles_to_wasm() {
  [ -x /usr/bin/rustc ] && [ -d /usr/lib/rustlib/src/rust/library ] && [ -x /usr/bin/rust-lld ]
}

missing=()
command -v cc >/dev/null || missing+=(gcc libc6-dev)
command -v cargo >/dev/null || missing+=(cargo-web rustc-web)
command -v wasm-opt >/dev/null || missing+=(binaryen)
[ ${#missing[@]} = 0 ] || add "${missing[@]}"

if ! rust_compiles_to_wasm && ! debians_rust_compiles_to_wasm; then
  if command -v rustup >/dev/null; then
    echo "Asking rustup for WebAssembly (20 seconds at most)."
    timeout 20 rustup target add wasm32-unknown-unknown >/dev/null 2>&1 || echo "It has none for us."
  fi
  if ! rust_compiles_to_wasm; then
    # Debian's Rust stands beside rustup's. Its linker is a link to a certain version of lld.
    add rustc-web rust-web-src rust-web-llvm
    add "$(basename "$(readlink /usr/bin/rust-lld)")"
  fi
fi

for purpose in "$@"; do
  case $purpose in
    postgres)
      if [ -z "${DENPYO_TEST_POSTGRES_URL:-}" ] && ! scripts/postgres-bin.sh >/dev/null; then
        # Only its programs are wanted: by itself the package would also start a cluster.
        add postgresql-common
        "${as_root[@]}" sed -i 's/^#\? *create_main_cluster.*/create_main_cluster = false/' \
          /etc/postgresql-common/createcluster.conf
        add postgresql
      fi
      # The tests see what happens behind it.
      [ -x /usr/sbin/pgbouncer ] || command -v pgbouncer >/dev/null || add pgbouncer
      # And what happens when the clock jumps.
      compgen -G '/usr/lib/*/faketime/libfaketimeMT.so.1' >/dev/null || add faketime
      ;;
    browser)
      missing=()
      [ -x "${CHROMIUM:-/usr/bin/chromium}" ] || missing+=(chromium)
      command -v npm >/dev/null || missing+=(nodejs npm)
      if command -v dpkg >/dev/null && ! dpkg -s fonts-noto-cjk >/dev/null 2>&1; then
        missing+=(fonts-noto-cjk)
      fi
      [ ${#missing[@]} = 0 ] || add "${missing[@]}"

      if ! node -e 'process.exit(parseInt(process.versions.node) < 20 ? 1 : 0)'; then
        echo "The browser tests need Node.js 20 or newer; here is $(node --version)." >&2
        exit 1
      fi
      if ! cmp -s end2end/package-lock.json end2end/node_modules/.installed-lock.json; then
        echo "Installing the browser tests' packages with npm."
        mkdir -p target
        if ! (cd end2end && PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD=1 npm ci) >target/npm.log 2>&1; then
          echo "That failed; what npm said is in target/npm.log." >&2
          exit 1
        fi
        cp end2end/package-lock.json end2end/node_modules/.installed-lock.json
      fi
      ;;
    pictures)
      command -v pngquant >/dev/null || add pngquant
      ;;
  esac
done
