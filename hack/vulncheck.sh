#!/usr/bin/env bash
# vulncheck.sh [DB [PATTERN...]]: runs govulncheck, built from its module, over what users build,
# or over packages, with the vulnerability database at the URL DB, or that of the Go project. Its
# exit status is 3 for a vulnerability that the code can reach, and 1 if the database can't be read.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
arguments=()
[[ -z ${1:-} ]] || arguments=(-db "$1")
bin=$(mktemp -d)
trap 'rm -rf "$bin"' EXIT
GOBIN=$bin go install golang.org/x/vuln/cmd/govulncheck@v1.9.0

status=0
check() { # folder of a module, then patterns
  ((status == 0)) || return 0
  (cd "$1" && "$bin/govulncheck" "${arguments[@]}" "${@:2}") 2>"$bin/errors" || status=$?
}
if (($# > 1)); then
  check . "${@:2}"
else
  check . ./cmd/... ./generators/... ./templates/... ./runtime/...
  check operations ./...
fi
cat "$bin/errors" >&2
case $status in
0) ;;
3) echo "A vulnerability of a dependency can be reached: upgrade the module, or Go." >&2 ;;
*) echo "Nothing was checked: govulncheck failed. It needs the vulnerability database: make vulncheck DB=<URL> names a mirror, or file:///<directory> a copy." >&2 ;;
esac
exit "$status"
