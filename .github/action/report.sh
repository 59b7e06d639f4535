#!/usr/bin/env bash
# The step of action.yml that writes what verify.sh has found as Markdown: to a file, and if the
# generated files differ, to the summary of the job. It writes to GITHUB_OUTPUT the name of the
# report, and the marker that it begins with, which is the same for the same DIRECTORY and
# ARGUMENTS.
set -euo pipefail

readonly limit=60000 # bytes; GitHub refuses comments of more than 65,536 letters

# fence prints more backticks than there are in a row in a file, so that none of it ends the block.
fence() {
  local longest
  longest=$(grep -oE '`{3,}' "$1" | awk '{ if (length > max) max = length } END { print max + 0 }') || true
  printf '`%.0s' $(seq 1 $((longest < 3 ? 3 : longest + 1)))
}

# block prints a file as a block of code in a language.
block() {
  local edge
  edge=$(fence "$2")
  printf '\n%s%s\n' "$edge" "$1"
  cat "$2"
  printf '%s\n' "$edge"
}

# write_command prints what to run in a shell, from the root of the repository.
write_command() {
  local argument
  if [[ $DIRECTORY != . ]]; then
    printf 'cd %q && ' "$DIRECTORY"
  fi
  printf 'go tool informer-gen'
  while IFS= read -r argument; do
    argument=${argument%$'\r'}
    [[ -z $argument ]] || printf ' %q' "$argument"
  done <<<"$ARGUMENTS"
  echo
}

# write_diff prints the whole lines of the diff up to the limit.
write_diff() {
  head -c "$limit" "$DIFF" | if (($(wc -c <"$DIFF") > limit)); then sed '$d'; else cat; fi
}

write_report() {
  echo "$marker"
  case $OUTCOME in
  same)
    echo "The generated files are up to date."
    ;;
  differs)
    echo "The generated files are not up to date. Commit what this writes:"
    write_command >"$report.command"
    block sh "$report.command"
    write_diff >"$report.diff"
    block diff "$report.diff"
    if (($(wc -c <"$DIFF") > limit)); then
      echo "The rest of the diff is in the log of the check."
    fi
    ;;
  *)
    echo "It is not known whether the generated files are up to date: informer-gen failed, and its messages are in the log of the check."
    ;;
  esac
}

sum=$(printf '%s\n%s' "$DIRECTORY" "$ARGUMENTS" | cksum)
marker="<!-- informer-gen in ${DIRECTORY//[^A-Za-z0-9.\/_-]/_}, ${sum%% *} -->"
report=$(mktemp "${RUNNER_TEMP:-/tmp}/informer-gen.XXXXXX")
write_report >"$report"
if [[ $OUTCOME == differs && -n ${GITHUB_STEP_SUMMARY:-} ]]; then
  cat "$report" >>"$GITHUB_STEP_SUMMARY"
fi
printf 'marker=%s\nreport=%s\n' "$marker" "$report" >>"$GITHUB_OUTPUT"
