#!/usr/bin/env bash
# repo2docker.sh FOLDER: build what binder/ describes in FOLDER, step by step as repo2docker does, without Docker.
#
# FOLDER/home is a clean copy of the tree and the home of the visitor, as on Binder; FOLDER/env is a virtual
# environment where repo2docker has a conda one. FOLDER/seconds says how long it took.
set -euo pipefail
place=$(mkdir -p "$1" && cd "$1" && pwd)
cd "$(dirname "${BASH_SOURCE[0]}")/.."

for file in binder/*; do
  case ${file#binder/} in
    requirements.txt | runtime.txt | postBuild | start | workspace.json) ;;
    *) echo "repo2docker.sh does not know what repo2docker does with $file" >&2; exit 1 ;;
  esac
done

version=$(sed 's/^python-//' binder/runtime.txt)
python=python$version
"$python" -c '' 2>/dev/null || python=${PYTHON:-python3}
"$python" -c 'import sys; print(f"binder/runtime.txt asks for Python '"$version"', this is {sys.version.split()[0]}")'

# Binder starts with empty caches; here what was fetched before is used again.
export PIP_CACHE_DIR=${PIP_CACHE_DIR:-$("$python" -m pip cache dir)}
rm -rf "$place/home" "$place/env"
mkdir "$place/home"
git ls-files -z --cached --others --exclude-standard \
  | tar --null --files-from=- --ignore-failed-read -cf - 2>/dev/null | tar -xf - -C "$place/home"
cd "$place/home"
"$python" -m venv "$place/env"
export HOME=$place/home PATH=$place/env/bin:$PATH PIP_DISABLE_PIP_VERSION_CHECK=1
python -m pip install --quiet -r binder/requirements.txt
binder/postBuild >"$place/postBuild.log" 2>&1 || { cat "$place/postBuild.log" >&2; exit 1; }
echo "$SECONDS" >"$place/seconds"
