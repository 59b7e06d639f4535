#!/usr/bin/env bash
# Runs govulncheck, built from its module, over what users build. Its exit status is 3 for a
# vulnerability that the code can reach, and 1 if the database can't be read.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
bin=$(mktemp -d)
trap 'rm -rf "$bin"' EXIT
GOBIN=$bin go install golang.org/x/vuln/cmd/govulncheck@v1.9.0

status=0
"$bin/govulncheck" ./cmd/... ./generators/... ./templates/... ./runtime/... 2>"$bin/errors" || status=$?
cat "$bin/errors" >&2
case $status in
0) ;;
3) echo "A vulnerability of a dependency can be reached: upgrade the module, or Go." >&2 ;;
*) echo "Nothing was checked: govulncheck failed. It needs access to the vulnerability database; GOVULNDB names a mirror." >&2 ;;
esac
exit "$status"
