#!/usr/bin/env bash
# Bring Debian's Chromium for the browser tests, where it is missing and apt can bring it without asking anybody.
set -euo pipefail
for name in "${NBPROF_CHROMIUM:-chromium}" chromium chromium-browser google-chrome; do
  if command -v "$name" >/dev/null; then exit 0; fi
done

root=()
[ "$(id -u)" = 0 ] || root=(sudo -n)
if command -v apt-get >/dev/null && "${root[@]}" true 2>/dev/null; then
  echo 'installing Chromium ...'
  export DEBIAN_FRONTEND=noninteractive
  log=$(mktemp)
  if "${root[@]}" apt-get update >"$log" 2>&1 \
    && "${root[@]}" apt-get install -y --no-install-recommends chromium >>"$log" 2>&1; then
    rm "$log"
    exit 0
  fi
  tail -n 3 "$log" >&2
fi
echo 'Chromium is missing (sudo apt install chromium): the browser tests are skipped.' >&2
