#!/usr/bin/env bash
# bench-compare.sh OLD [REGEXP]: measures the runtime of the commit OLD and that
# of the working tree, with the workloads of the working tree, and lets benchstat
# tell them apart. REGEXP chooses workloads, as in BENCH='fanout/handlers=10$'.
set -euo pipefail

[[ $# -ge 1 && -n $1 ]] || { echo "usage: ${0##*/} OLD [REGEXP]; or make bench-compare OLD=<commit> [BENCH=<regexp>]" >&2; exit 2; }
old=$1
pattern=${2:-}
rounds=${ROUNDS:-8}
benchstat=golang.org/x/perf/cmd/benchstat@v0.0.0-20260908200009-22c9c6c9d4da

cd "$(dirname "$0")/.."
tmp=$(mktemp -d)
trap 'git worktree remove --force "$tmp/old"; rm -rf "$tmp"' EXIT
git worktree add --quiet --detach "$tmp/old" "$old"

cd test
cp go.mod "$tmp/old.mod"
sort -u go.sum "$tmp/old/go.sum" "$tmp/old/test/go.sum" >"$tmp/old.sum"
go mod edit -replace "github.com/informer-gen/informer-gen=$tmp/old" "$tmp/old.mod"
go test -c -o "$tmp/new.test" ./bench
go test -c -o "$tmp/old.test" -mod=mod -modfile "$tmp/old.mod" ./bench # OLD may need other modules

# One round of each after the other, so that both have the same neighbours, and in either order: what
# runs second can be slower for that.
for ((round = 0; round < rounds; round++)); do
  sides="old new"
  ((round % 2)) && sides="new old"
  for side in $sides; do
    "$tmp/$side.test" -test.run '^$' -test.bench "^BenchmarkOurs$/$pattern" -test.benchtime "${BENCHTIME:-100ms}" >>"$tmp/$side.txt"
  done
done
go run "$benchstat" "$old=$tmp/old.txt" "working tree=$tmp/new.txt"
