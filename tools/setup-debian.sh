#!/usr/bin/env bash
# Installs the Debian packages that the tests, the demo and the real-program guests use: only what is missing, and only as
# root. Otherwise it says what to install. It never fails: what needs a missing package says so itself or is left out.
set -uo pipefail
packages=(gcc g++ make gdb valgrind binutils libpmem-dev libpmemobj-dev libpmem1-debug libpmemobj1-debug pmdk-tools
  libtbb-dev busybox sqlite3 lua5.4 perl python3 gawk sed grep coreutils gzip xz-utils bzip2 zstd openssl bash
  redis-server lmdb-utils liblmdb-dev tdb-tools kyotocabinet-utils tkrzw-utils gdbmtool
  chromium fonts-dejavu-core)
if ! command -v dpkg-query >/dev/null; then
  echo "blackout: this is no Debian; the tests want these packages or their like: ${packages[*]}" >&2
  exit 0
fi
installed="$(dpkg-query -W -f='${Package} ${Status}\n' "${packages[@]}" 2>/dev/null | sed -n 's/ install ok installed$//p')"
missing=()
for package in "${packages[@]}"; do grep -qxF "$package" <<<"$installed" || missing+=("$package"); done
[ ${#missing[@]} -eq 0 ] && exit 0
if [ "$(id -u)" != 0 ]; then
  echo "blackout: some Debian packages are missing and this is not root. Please run:" >&2
  echo "  sudo apt-get install -y ${missing[*]}" >&2
  exit 0
fi
echo "blackout: installing ${missing[*]}" >&2
export DEBIAN_FRONTEND=noninteractive
install() { apt-get install -y -qq --no-install-recommends "$@" >/dev/null 2>&1; }
apt-get update -qq >/dev/null 2>&1
# All at once is quick; when one cannot be had, the others still can.
install "${missing[@]}" && exit 0
for package in "${missing[@]}"; do
  install "$package" || echo "blackout: could not install $package; what needs it is left out" >&2
done
exit 0
