#!/usr/bin/env bash
# The step of action.yml that runs informer-gen --verify, with the ARGUMENTS, one a line. It
# writes to GITHUB_OUTPUT the outcome (same, differs or failed) and the file with the diff, and
# ends as the tool does.
set -euo pipefail

arguments=()
while IFS= read -r argument; do
  [[ -z $argument ]] || arguments+=("$argument")
done <<<"${ARGUMENTS:-}"

diff=$(mktemp "${RUNNER_TEMP:-/tmp}/informer-gen.XXXXXX")
status=0
go tool informer-gen --verify -o github "${arguments[@]}" >"$diff" || status=$?
cat "$diff"

outcome=failed
if ((status == 0)); then
  outcome=same
elif ((status == 1)) && [[ -s $diff ]]; then
  outcome=differs
fi
# The first and the last line keep GitHub from reading commands in the diff.
sed '1d;$d' "$diff" >"$diff.md"
printf 'outcome=%s\ndiff=%s\n' "$outcome" "$diff.md" >>"$GITHUB_OUTPUT"
exit "$status"
