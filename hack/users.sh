#!/usr/bin/env bash
# Runs the unit tests of public projects that have the minor of Kubernetes' libraries that go.mod has: with the
# informers and listers that they publish, then with those that informer-gen writes in their place, and no other
# line changed. The same tests must pass.
set -euo pipefail
unset CDPATH # or cd prints where it goes
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
module=github.com/informer-gen/informer-gen
libraries=$(cd "$root" && go list -m -f '{{.Version}}' k8s.io/client-go)
work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
(cd "$root" && go build -o "$work/informer-gen" ./cmd/informer-gen)
export GOFLAGS=-mod=mod

download() { # module@version, folder
  cp -R "$(GOFLAGS= go mod download -json "$1" | sed -n 's/^\t"Dir": "\(.*\)",$/\1/p')" "$2"
  chmod -R u+w "$2"
}

results() { # packages; prints a line for each test
  go test -v "$@" > log 2>&1 || true
  grep -E '^ *--- (PASS|FAIL|SKIP): |^FAIL' log | sed -E 's/ *\([0-9.]+s\)$//; s/\t[0-9.]+s$//' | sort
}

try() { # packages to test; after --, those of the types
  local packages=()
  while [ "$1" != -- ]; do packages+=("$1"); shift; done
  shift
  results "${packages[@]}" > before
  go mod edit -require "$module@v0.0.0" -replace "$module=$root"
  (
    cd "$types"
    path=$(go list -m)${generated:+/$generated}
    rm -r "./$generated/informers" "./$generated/listers"
    "$work/informer-gen" --versioned-clientset-package "$path/clientset/versioned" \
      --output-dir "./$generated/informers" --listers-package "$path/listers" "$@"
  )
  results "${packages[@]}" > after
  go list -m k8s.io/client-go
  if ! diff before after || ! grep -q PASS after; then
    tail -50 log
    return 1
  fi
  echo "$(grep -c PASS after) tests passed, as with its own informers"
}

project() { # module@version
  echo "== $1"
  types=. generated=
  cd "$(mktemp -d "$work/XXXX")"
  download "$1" project
  cd project
}

snapshotter() { # version
  project "github.com/kubernetes-csi/external-snapshotter/v8@$1"
  download "github.com/kubernetes-csi/external-snapshotter/client/v8@$1" client
  types=client
  try ./pkg/... -- ./apis/...
}

project "k8s.io/sample-controller@${libraries%.*}.1"
generated=pkg/generated
try ./... -- ./pkg/apis/...
case $libraries in
  v0.34.*) snapshotter v8.4.0 ;;
  v0.35.*)
    project github.com/cert-manager/cert-manager@v1.20.0
    generated=pkg/client
    try ./pkg/controller/... -- ./pkg/apis/acme/... ./pkg/apis/certmanager/...
    ;;
  v0.36.*) snapshotter v8.6.0 ;;
  v0.37.*) snapshotter v8.7.0 ;;
esac
