#!/usr/bin/env bash
# torch_index.sh PYTHON [ADDRESS]: print pip's option for an extra package index, if the index answers at once.
# pip itself waits minutes for one that does not.
set -euo pipefail
python=$1
index=${2:-}
[ -n "$index" ] || exit 0

probe='import sys, urllib.request; urllib.request.urlopen(sys.argv[1] + "/torch/", timeout=4).close()'
if timeout 8 "$python" -c "$probe" "${index%/}" 2>/dev/null; then
  echo "--extra-index-url=$index"
else
  echo "$index does not answer; torch comes from where pip looks anyway." >&2
fi
