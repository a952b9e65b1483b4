#!/usr/bin/env bash
# Installs the Debian packages that the tests, the demo and the real-program guests use. Only what is missing is installed.
set -euo pipefail
packages=(gcc g++ make gdb valgrind binutils libpmem-dev libpmemobj-dev libpmem1-debug libpmemobj1-debug pmdk-tools
  libtbb-dev busybox sqlite3 lua5.4 perl python3 gawk sed grep coreutils gzip xz-utils bzip2 zstd openssl bash)
available() { dpkg-query -W -f='${Status}\n' "$1" 2>/dev/null | grep -q '^install ok installed$'; }
missing=()
for package in "${packages[@]}"; do available "$package" || missing+=("$package"); done
[ ${#missing[@]} -eq 0 ] && exit 0
if [ "$(id -u)" != 0 ]; then
  echo "blackout: some Debian packages are missing and this is not root. Please run:" >&2
  echo "  sudo apt-get install -y ${missing[*]}" >&2
  exit 0
fi
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq || true
for package in "${missing[@]}"; do
  apt-get install -y -qq --no-install-recommends "$package" >/dev/null 2>&1 || echo "blackout: could not install $package; tests that need it will say so" >&2
done
