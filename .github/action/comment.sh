#!/usr/bin/env bash
# The step of action.yml that comments on a pull request with what verify.sh has found. There is
# one comment for each directory, which is written anew; without a difference, none is begun.
# Where the token may not comment, as for pull requests of forks, this is a warning.
set -euo pipefail

readonly limit=60000 # bytes; GitHub refuses comments of more than 65,536 letters

[[ $PULL_REQUEST =~ ^[0-9]+$ ]] || { echo "::warning title=informer-gen::no number of a pull request"; exit 0; }
[[ $OUTCOME == same || $OUTCOME == differs ]] || exit 0 # there is nothing to show but the annotations

export MARKER="<!-- informer-gen in ${DIRECTORY//[^A-Za-z0-9.\/_-]/_} -->"
body=$(mktemp "${RUNNER_TEMP:-/tmp}/informer-gen.XXXXXX")
comments="repos/$GITHUB_REPOSITORY/issues/$PULL_REQUEST/comments"

# fence prints more backticks than there are in a row in a file, so that none of it ends the block.
fence() {
  local longest
  longest=$(grep -oE '`{3,}' "$1" | awk '{ if (length > max) max = length } END { print max + 0 }') || true
  printf '`%.0s' $(seq 1 $((longest < 3 ? 3 : longest + 1)))
}

write_body() {
  echo "$MARKER"
  if [[ $OUTCOME == same ]]; then
    echo "The generated files are up to date."
    return
  fi
  local block
  block=$(fence "$DIFF")
  echo 'The generated files are not up to date. Run `go tool informer-gen` and commit what it writes.'
  printf '\n%sdiff\n' "$block"
  # Whole lines, up to the limit.
  head -c "$limit" "$DIFF" | if (($(wc -c <"$DIFF") > limit)); then sed '$d'; else cat; fi
  printf '%s\n' "$block"
  if (($(wc -c <"$DIFF") > limit)); then
    echo "The rest of the diff is in the log of the check."
  fi
}

refused() {
  echo "::warning title=informer-gen::The token may not comment on this pull request; the diff is in the log."
  exit 0
}

write_body >"$body"
previous=$(gh api --paginate "$comments" \
  --jq '.[] | select(.user.type == "Bot" and (.body | startswith(env.MARKER))) | .id') || refused
previous=${previous%%$'\n'*}
if [[ -n $previous ]]; then
  gh api --silent --method PATCH "repos/$GITHUB_REPOSITORY/issues/comments/$previous" -F "body=@$body" || refused
elif [[ $OUTCOME == differs ]]; then
  gh api --silent --method POST "$comments" -F "body=@$body" || refused
fi
