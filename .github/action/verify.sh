#!/usr/bin/env bash
# The step of action.yml that runs informer-gen --verify, with the ARGUMENTS, one a line. It
# writes to GITHUB_OUTPUT the outcome (same, differs or failed) and the file with the diff, and
# ends as the tool does.
set -euo pipefail

arguments=(--verify -o github)
while IFS= read -r argument; do
  argument=${argument%$'\r'}
  [[ -z $argument ]] || arguments+=("$argument")
done <<<"${ARGUMENTS:-}"

# The messages of the go command are no annotations.
if ! go tool -n informer-gen >/dev/null; then
  echo "::error title=informer-gen::the go command cannot run the tool informer-gen in the working directory: see the log; if go.mod lacks it, run go get -tool github.com/informer-gen/informer-gen/cmd/informer-gen"
  exit 2
fi

diff=$(mktemp "${RUNNER_TEMP:-/tmp}/informer-gen.XXXXXX")
status=0
go tool informer-gen "${arguments[@]}" >"$diff" || status=$?
cat "$diff"

outcome=failed
if ((status == 0)); then
  outcome=same
elif ((status == 1)) && [[ -s $diff ]]; then
  outcome=differs
fi
# The first and the last line keep GitHub from reading commands in the diff.
sed '1d;$d' "$diff" >"$diff.diff"
printf 'outcome=%s\ndiff=%s\n' "$outcome" "$diff.diff" >>"$GITHUB_OUTPUT"
exit "$status"
