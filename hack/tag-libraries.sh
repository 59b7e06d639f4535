#!/usr/bin/env bash
# Tags the trees that make libraries has made and tested as releases of this repository:
#   hack/tag-libraries.sh 3 0.36 0.37
# tags v0.36.3 and v0.37.3, and the same for the module operations, which requires that version of the other.
# The tags are local: look at them, and push them.
set -euo pipefail
unset CDPATH # or cd prints where it goes

[[ $# -ge 2 && $1 =~ ^[0-9]+$ ]] || { echo "usage: hack/tag-libraries.sh PATCH MINOR..." >&2; exit 2; }
patch=$1
shift
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source=$(git rev-parse HEAD)
for minor; do
  [ -d "test/bin/libraries-$minor/.git" ] || { echo "test/bin/libraries-$minor: does not exist; make libraries makes it" >&2; exit 1; }
  ! git rev-parse -q --verify "refs/tags/v$minor.$patch" >/dev/null || { echo "tag v$minor.$patch: exists; take a higher patch" >&2; exit 1; }
done
for minor; do
  tree=test/bin/libraries-$minor version=v$minor.$patch
  go -C "$tree/operations" mod edit -require="github.com/informer-gen/informer-gen@$version"
  git -C "$tree" add operations/go.mod
  git -C "$tree" commit -q --allow-empty -m "$source for k8s.io/* v$minor" # what was staged, and nothing of the tests
  git fetch -q --no-tags "$tree" "HEAD:refs/tags/$version" "HEAD:refs/tags/operations/$version"
  echo "tagged $version and operations/$version"
done
