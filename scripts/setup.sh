#!/usr/bin/env bash
# Installs what lathe needs on this machine and builds it: the sandbox (bubblewrap) from the distribution,
# the packages of the lock file from npm. Safe to run again.
set -euo pipefail
cd "$(dirname "$0")/.."

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; elif command -v sudo >/dev/null; then sudo "$@"; else
    echo "setup: this needs root and there is no sudo: $*" >&2
    return 1
  fi
}

need() { # need COMMAND PACKAGE...
  command -v "$1" >/dev/null && return 0
  shift
  if command -v apt-get >/dev/null; then
    as_root apt-get install -y -qq "$@" >/dev/null 2>&1 || { as_root apt-get update -qq && as_root apt-get install -y -qq "$@" >/dev/null; }
  elif command -v dnf >/dev/null; then as_root dnf install -y -q "$@"
  elif command -v pacman >/dev/null; then as_root pacman -S --noconfirm --needed "$@"
  elif command -v apk >/dev/null; then as_root apk add -q "$@"
  else echo "setup: please install $* with your package manager" >&2; fi
}

if [ "$(uname -s)" = Linux ]; then
  need bwrap bubblewrap
  need git git
fi
npm ci --ignore-scripts --no-fund --no-audit
npm run -s build
