#!/usr/bin/env bash
# The step of action.yml that comments on a pull request with the REPORT of report.sh. The
# comments that begin with its MARKER are written anew; unless the generated files differ, none
# is begun. No failure here fails the check: tokens of forks, for one, may not comment.
set -euo pipefail

# gave_up ends the step with a warning, which says why gh failed.
gave_up() {
  local reason advice=
  reason=$(tail -n 1 "$errors")
  reason=${reason//$'\r'/}
  if [[ $reason == *"HTTP 40"[134]* ]]; then
    advice="; a comment takes the permission pull-requests=write, which pull requests of forks do not have"
  fi
  echo "::warning title=informer-gen::no comment on the pull request: ${reason//%/%25}$advice; the diff is in the summary of the job and in its log"
  exit 0
}

[[ $PULL_REQUEST =~ ^[0-9]+$ && -n $MARKER ]] || exit 0 # report.sh was not run to its end
export MARKER GH_HOST=${GITHUB_SERVER_URL#*://} GH_ENTERPRISE_TOKEN=$GH_TOKEN
errors=$(mktemp "${RUNNER_TEMP:-/tmp}/informer-gen.XXXXXX")
comments="repos/$GITHUB_REPOSITORY/issues/$PULL_REQUEST/comments"

# Tokens of apps, such as that of the workflow, have no user, and comment as a bot.
AUTHOR=$(gh api user --jq .login 2>/dev/null) || AUTHOR=
export AUTHOR
if ! previous=$(gh api --paginate "$comments?per_page=100" \
  --jq '.[] | select((if env.AUTHOR == "" then .user.type == "Bot" else .user.login == env.AUTHOR end) and (.body | startswith(env.MARKER))) | .id' 2>"$errors"); then
  [[ $OUTCOME == differs ]] || exit 0 # there is nothing to say but in place of an earlier comment
  gave_up
fi
# There are several if jobs have run at the same time.
for id in $previous; do
  gh api --silent --method PATCH "repos/$GITHUB_REPOSITORY/issues/comments/$id" -F "body=@$REPORT" 2>"$errors" || gave_up
done
if [[ -z $previous && $OUTCOME == differs ]]; then
  gh api --silent --method POST "$comments" -F "body=@$REPORT" 2>"$errors" || gave_up
fi
