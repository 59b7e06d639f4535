#!/usr/bin/env bash
# Runs the suites of controller-runtime that use its cache, or those that are named, in the version of
# test/go.mod, on a real kube-apiserver and etcd, with the race detector, and with each of these
# informers in every cache: client-go's, this module's, and those of Streaming.
set -euo pipefail
unset CDPATH # or cd prints where it goes
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
module=github.com/informer-gen/informer-gen
# They fail with each of these informers now and then: it may be in sync before the spec asks.
skip='should (allow (for get informer|getting an informer .*) to be cancelled|return an error when context is cancelled)'
suites=("$@")
(($#)) || suites=(cache cache/internal client cluster controller builder manager source internal/controller internal/source)

work=$(mktemp -d)
cleanUp() {
  # Some suites leave their servers running.
  pgrep -f "^$work/(etcd|kube-apiserver) " | xargs kill -9 2>/dev/null || true
  chmod -R u+w "$work"
  rm -rf "$work"
}
trap cleanUp EXIT

echo "Building etcd and kube-apiserver: about 20 minutes the first time."
cd "$root/test/kubernetes"
go build -o "$work/etcd" go.etcd.io/etcd/server/v3
go build -o "$work/kube-apiserver" k8s.io/kubernetes/cmd/kube-apiserver

cd "$root/test"
go mod download sigs.k8s.io/controller-runtime
cp -R "$(go list -m -f '{{.Dir}}' sigs.k8s.io/controller-runtime)" "$work/controller-runtime"
cd "$work/controller-runtime"
chmod -R u+w .
export GOFLAGS=-mod=mod
go mod edit -require "$module@v0.0.0" -replace "$module=$root"
cat >pkg/cache/internal/subject.go <<'EOF'
package internal

import (
	"os"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	clientgocache "github.com/informer-gen/informer-gen/runtime/clientgo/cache"
)

// subject returns the constructor of the informers that are tested.
func subject(config **rest.Config, options *InformersOpts) func(cache.ListerWatcher, runtime.Object, time.Duration, cache.Indexers) cache.SharedIndexInformer {
	switch os.Getenv("INFORMERS") {
	case "client-go":
		return cache.NewSharedIndexInformer
	case "decoded":
		return clientgocache.NewSharedIndexInformer
	}
	streaming, informers := clientgocache.Streaming(*config)
	client, err := rest.HTTPClientFor(streaming)
	if err != nil {
		panic(err)
	}
	*config, options.HTTPClient = streaming, client
	return informers.New
}
EOF
patched=pkg/cache/internal/informers.go
sed -i.orig 's|^\tnewInformer := cache.NewSharedIndexInformer$|\tnewInformer := subject(\&config, options)|' $patched
if cmp -s $patched $patched.orig; then
  echo "controller-runtime: no default of NewInformer in $patched: change $0" >&2
  exit 1
fi

mkdir "$work/tmp"
export KUBEBUILDER_ASSETS=$work TMPDIR=$work/tmp
status=0
for suite in "${suites[@]}"; do
  go test -race -c -o "$work/suite.test" "./pkg/$suite"
  for informers in client-go decoded streaming; do
    echo "== $suite, $informers"
    # Some specs need the folder of their package.
    (cd "pkg/$suite" && INFORMERS=$informers "$work/suite.test" -test.timeout 20m -ginkgo.skip "$skip" -ginkgo.succinct -ginkgo.no-color) || {
      echo "failed: $suite, $informers" >&2
      [[ $informers == client-go ]] || status=1 # what fails with client-go's says nothing of these
    }
  done
done
exit $status
