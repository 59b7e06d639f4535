#!/usr/bin/env bash
# Makes the tree of a release for an older minor of Kubernetes' libraries, from the commit that is checked out:
#   hack/libraries.sh 0.36 FOLDER
# go.mod gets the versions that go with that minor and nothing newer, files for other minors go (they
# say so by a build tag: before37 is for libraries before 0.37, !before37 for 0.37), and what is generated
# is generated again.
set -euo pipefail
unset CDPATH # or cd prints where it goes

usage() { echo "usage: hack/libraries.sh 0.36 FOLDER" >&2; exit 2; }
[ $# = 2 ] || usage
minor=${1#0.} tree=$2
newest=37 patch=37.2 # those of this commit
# The newest patch, for tests; controller-runtime; and the Go version of the libraries. What this module
# requires is the first patch, so that nothing of a user of the minor is raised.
other=()
case $minor in
  37) libraries=v0.37.2 runtime=v0.25.2 go=1.26.0 ;;
  36) libraries=v0.36.6 runtime=v0.24.1 go=1.26.0 ;;
  35) libraries=v0.35.10 runtime=v0.23.3 go=1.25.0 ;;
  34) libraries=v0.34.13 runtime=v0.22.5 go=1.24.0
    other=("github.com/rogpeppe/go-internal v1.14.1") ;;
  *) usage ;;
esac
first=v0.$minor.0
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
[ ! -e "$tree" ] || { echo "$tree: exists; remove it, or name another folder" >&2; exit 1; }
mkdir -p "$tree"
git -C "$root" archive HEAD | tar -x -C "$tree"
cd "$tree"

# Files: those for this minor lose their tag, the others go.
for ((n = newest; n > minor; n--)); do
  { grep -rlx --include='*.go' "//go:build !before$n" . || true; } | xargs -r rm
  { grep -rlx --include='*.go' "//go:build before$n" . || true; } | xargs -r sed -i "1,2{/^\/\/go:build before$n\$/d;/^\$/d}"
done
while grep -rlqx --include='*.go' "//go:build !before[0-9]*" .; do
  grep -rlx --include='*.go' "//go:build !before[0-9]*" . | xargs sed -i '1,2{/^\/\/go:build !before[0-9]*$/d;/^$/d}'
done
{ grep -rlx --include='*.go' "//go:build before[0-9]*" . || true; } | xargs -r rm

# Go: tests may use the newest. sync.WaitGroup has its method Go since 1.25: before, packages get a type that has it.
if [ "$go" != 1.26.0 ]; then
  {
    find cmd generators templates runtime operations -name '*_test.go' ! -path '*/testdata/*'
    ls ./*_test.go testdata/*/*_test.go
  } | xargs sed -i '1{
    s/^\/\/go:build \(.*\)$/\/\/go:build go1.26 \&\& (\1)/; t
    s/^/\/\/go:build go1.26\n\n/}'
fi
if [ "$go" = 1.24.0 ]; then
  grep -rl --include='*.go' --exclude='*_test.go' 'sync\.WaitGroup' cmd generators runtime operations | while read -r file; do
    package=$(dirname "$file")
    sed -i 's/sync\.WaitGroup/waitGroup/' "$file"
    grep -q '[^a-z]sync\.' "$file" || sed -i '/^\t"sync"$/d' "$file"
    cat > "$package/wait_group.go" <<EOF
package $(basename "$package")

import "sync"

// waitGroup is a sync.WaitGroup with the method Go, which Go has since 1.25.
type waitGroup struct{ sync.WaitGroup }

// Go calls f in a goroutine of the group.
func (g *waitGroup) Go(f func()) {
	g.Add(1)
	go func() {
		defer g.Done()
		f()
	}()
}
EOF
  done
fi
if [ "$minor" = 34 ]; then # its informers wait at a channel of the package, for which the time of testing/synctest does not go on
  grep -rl --include='*_test.go' '"k8s.io/client-go/tools/cache"' runtime test | while read -r file; do
    package=$(sed -n 's/^package //p' "$file")
    cat > "$(dirname "$file")/never_resync_test.go" <<EOF
//go:build go1.26

package ${package%_test}_test

import (
	"time"
	_ "unsafe" // for go:linkname

	_ "k8s.io/client-go/tools/cache"
)

//go:linkname neverExitWatch k8s.io/client-go/tools/cache.neverExitWatch
var neverExitWatch <-chan time.Time

func init() { neverExitWatch = nil }
EOF
  done
fi
gofmt -w cmd generators runtime operations # tags in parentheses that need none, fields beside a longer name

# Texts that name the minor, and what goes with it.
runtimes=v0.24 # the oldest minor of controller-runtime for this one; others go with theirs
((minor == newest)) || runtimes=${runtime%.*}
git -C "$root" ls-files README.md Dockerfile docs cmd generators test examples runtime templates testdata |
  grep -E '\.(go|md|txtar)$|^Dockerfile$' | grep -v '^docs/results/' | while read -r file; do [ ! -e "$file" ] || echo "$file"; done |
  grep -vxE 'docs/compatibility.md|generators/gomod_version_test.go' |
  xargs sed -i "/newestMinor /b; s/v0\.${patch//./\\.}/$libraries/g; s/v0\.$newest\b/v0.$minor/g; s/modules of Kubernetes v1\.$newest/modules of Kubernetes v1.$minor/"
sed -i "s/controller-runtime@v[0-9.]*/controller-runtime@$runtime/" docs/*.md
sed -i "s/controller-runtime@v0\.24\.0/controller-runtime@$runtimes.0/; s/Go 1\.26/Go ${go%.0}/; s/go@1\.26\.0/go@$go/" cmd/informer-gen/testdata/project.txtar
sed -i "s/\(neededRuntime = \)\"[^\"]*\"/\1\"$runtimes\"/; s/\(neededGo      = \)\"[^\"]*\"/\1\"${go%.0}\"/" generators/gomod.go
sed -i "s/golang:1\.26/golang:${go%.0}/; s/Go 1\.26/Go ${go%.0}/; s/controller-runtime since 0\.24/controller-runtime since ${runtimes#v}/" Dockerfile README.md
sed -i "s/code-generator v0\.$newest/code-generator v0.$minor/" docs/compatibility.md
sed -i "s/^## 0\.$newest\./## 0.$minor./" CHANGELOG.md

# Modules: those of Kubernetes at their version, others at the one that these need.
modules() { # prints "module version" of all requirements of a module
  go mod edit -json "$(go mod download -json "$1" | sed -n 's/.*"GoMod": "\(.*\)".*/\1/p')" |
    tr -d '\n\t ' | grep -o '"Path":"[^"]*","Version":"[^"]*"' | sed 's/"Path":"\(.*\)","Version":"\(.*\)"/\1 \2/'
}
versions() { # prints "module version" of all that goes with a version of the libraries
  for name in api apimachinery client-go apiextensions-apiserver apiserver component-base code-generator; do
    echo "k8s.io/$name $1"
  done
  echo "sigs.k8s.io/controller-runtime $runtime"
  printf '%s\n' "${other[@]}"
  for of in "k8s.io/code-generator@$1" "k8s.io/apiextensions-apiserver@$1" "sigs.k8s.io/controller-runtime@$runtime"; do
    modules "$of"
  done
}
require() { # module, its Go version, version of the libraries
  local args=(-go="$2") line path version all
  all=$(versions "$3")
  cd "$1"
  while read -r line; do
    path=$(sed 's/{"Path":"\([^"]*\)".*/\1/' <<< "$line")
    version=$(awk -v path="$path" '$1 == path && !found { print $2; found = 1 }' <<< "$all")
    case $line in
      *Indirect*) args+=(-droprequire="$path") ;;
      *) [ -z "$version" ] || args+=(-require="$path@$version") ;;
    esac
  done < <(go mod edit -json | tr -d '\n\t ' | grep -o '{"Path":"[^"]*","Version":"[^"]*"\(,"Indirect":true\)\?}')
  go mod edit "${args[@]}"
  rm -f go.sum
  go mod tidy -go="$2"
  for name in api apimachinery client-go; do
    [ "$(go list -m -f '{{.Version}}' k8s.io/$name)" = "$3" ] || { echo "$1: k8s.io/$name: raised above $3: see go mod graph" >&2; exit 1; }
  done
}
for module in . operations; do
  (require "$module" "$go" "$first")
done
for module in test/servers examples examples/templates/injection test; do
  (require "$module" 1.26.0 "$libraries")
done

# What is generated: the clientset by that minor's client-gen, the rest by this tree's informer-gen.
sample=github.com/informer-gen/informer-gen/testdata/samplecontroller/pkg
(
  cd test
  go run k8s.io/code-generator/cmd/client-gen --go-header-file /dev/null --clientset-name versioned --input-base '' \
    --input "$sample/apis/samplecontroller/v1alpha1" --output-dir ../testdata/samplecontroller/pkg/clientset --output-pkg "$sample/clientset"
)
hack/update-codegen.sh
go test ./runtime/internal/apinames -run TestPublicPackages -update >&2
go test ./runtime/cache/cachetest/conformance -run TestStatements -update >&2
git init -q -b main . && git add -A
