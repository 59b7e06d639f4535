#!/usr/bin/env bash
# Runs each fuzz test of the module for the time given (default 1m).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
time=${1:-1m}
git grep -lE '^func Fuzz' -- '*_test.go' | while read -r file; do
  grep -oE '^func Fuzz[A-Za-z0-9_]+' "$file" | while read -r _ name; do
    echo "== $(dirname "$file") $name"
    go test -run '^$' -fuzz "^$name\$" -fuzztime "$time" -fuzzminimizetime 1x "./$(dirname "$file")" </dev/null
  done
done
