#!/usr/bin/env bash
# Regenerates the golden output of testdata, and what is generated in examples. Arguments go to every call of
# informer-gen: --verify compares instead of writing.
set -euo pipefail
unset CDPATH # or cd prints where it goes
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
bin=$(mktemp -d)
trap 'rm -rf "$bin"' EXIT
(cd "$root" && go build -o "$bin/informer-gen" ./cmd/informer-gen)

status=0
generate() { # folder in testdata, then arguments
  local project=$1
  shift
  (cd "$root/testdata/$project" && "$bin/informer-gen" --output-dir generated/informers "$@") || status=1
}

samplecontroller=github.com/informer-gen/informer-gen/testdata/samplecontroller
generate indexed --input-dirs ./api/... "$@"
generate kubebuilder --input-dirs ./api/... "$@"
generate minimal --input-dirs ../kubebuilder/api/... --clients --minimal "$@"
generate multigroup --input-dirs ./apis/... --clients "$@"
generate samplecontroller --input-dirs ./pkg/apis/... --go-header-file "$root/hack/boilerplate.go.txt" \
  --versioned-clientset-package "$samplecontroller/pkg/clientset/versioned" "$@"
generate slim --input-dirs ./api/... "$@"
for module in examples examples/templates/injection; do # the flags are in their informer-gen.yaml
  (cd "$root/$module" && "$bin/informer-gen" "$@") || status=1
done
exit "$status"
