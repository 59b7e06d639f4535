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
newest=37 patch=37.2
case $minor in # the libraries, controller-runtime, Go
  36) libraries=v0.36.6 runtime=v0.24.1 go=1.26.0 ;;
  35) libraries=v0.35.10 runtime=v0.23.3 go=1.25.0 ;;
  34) libraries=v0.34.13 runtime=v0.22.5 go=1.25.0 ;;
  *) usage ;;
esac
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

# Texts that name the minor.
git -C "$root" ls-files README.md docs cmd generators test examples runtime templates testdata |
  grep -E '\.(go|md|txtar)$' | grep -v '^docs/results/' | while read -r file; do [ ! -e "$file" ] || echo "$file"; done |
  grep -vx docs/compatibility.md |
  xargs sed -i "s/v0\.${patch//./\\.}/$libraries/g; s/v0\.$newest\b/v0.$minor/g; s/modules of Kubernetes v1\.$newest/modules of Kubernetes v1.$minor/"
sed -i "s/controller-runtime@v[0-9.]*/controller-runtime@$runtime/" docs/*.md
sed -i "/^| 0\.$newest /d; s/code-generator v0\.$newest/code-generator v0.$minor/" docs/compatibility.md
sed -i "s/^## 0\.$newest\./## 0.$minor./" CHANGELOG.md

# Modules: those of Kubernetes at their version, others at the one that these need.
modules() { # prints "module version" of all requirements of a module
  go mod edit -json "$(go mod download -json "$1" | sed -n 's/.*"GoMod": "\(.*\)".*/\1/p')" |
    tr -d '\n\t ' | grep -o '"Path":"[^"]*","Version":"[^"]*"' | sed 's/"Path":"\(.*\)","Version":"\(.*\)"/\1 \2/'
}
versions=$(mktemp)
trap 'rm -f "$versions"' EXIT
for name in api apimachinery client-go apiextensions-apiserver apiserver component-base code-generator; do
  echo "k8s.io/$name $libraries"
done > "$versions"
echo "sigs.k8s.io/controller-runtime $runtime" >> "$versions"
for of in "k8s.io/apiextensions-apiserver@$libraries" "k8s.io/code-generator@$libraries" "sigs.k8s.io/controller-runtime@$runtime"; do
  modules "$of" >> "$versions"
done
for module in . test/servers examples test; do
  (
    cd "$module"
    mapfile -t required < <(go mod edit -json | tr -d '\n\t ' | grep -o '{"Path":"[^"]*","Version":"[^"]*"\(,"Indirect":true\)\?}')
    args=(-go="$go")
    for line in "${required[@]}"; do
      path=$(sed 's/{"Path":"\([^"]*\)".*/\1/' <<< "$line")
      version=$(awk -v path="$path" '$1 == path { print $2; exit }' "$versions")
      case $line in
        *Indirect*) args+=(-droprequire="$path") ;;
        *) [ -z "$version" ] || args+=(-require="$path@$version") ;;
      esac
    done
    go mod edit "${args[@]}"
    rm -f go.sum
    go mod tidy
  )
done

# What is generated: the clientset by that minor's client-gen, the rest by this tree's informer-gen.
sample=github.com/informer-gen/informer-gen/testdata/samplecontroller/pkg
(
  cd test
  go run k8s.io/code-generator/cmd/client-gen --go-header-file /dev/null --clientset-name versioned --input-base '' \
    --input "$sample/apis/samplecontroller/v1alpha1" --output-dir ../testdata/samplecontroller/pkg/clientset --output-pkg "$sample/clientset"
)
hack/update-codegen.sh
go test ./runtime/internal/apinames -run TestPublicPackages -update > /dev/null
go test ./runtime/cache/cachetest/conformance -run TestStatements -update > /dev/null
git init -q -b main . && git add -A
