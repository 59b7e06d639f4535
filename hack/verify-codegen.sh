#!/usr/bin/env bash
# Checks that the golden output of testdata is what the generator writes, and
# that it compiles. Writes nothing.
set -euo pipefail
unset CDPATH # or cd prints where it goes
cd "$(dirname "${BASH_SOURCE[0]}")/.."
if ! hack/update-codegen.sh --verify; then
  echo "The golden output is not what the generator writes. If the change is meant, run hack/update-codegen.sh." >&2
  exit 1
fi
go build ./testdata/indexed/... ./testdata/kubebuilder/... ./testdata/minimal/... ./testdata/multigroup/... ./testdata/samplecontroller/... ./testdata/slim/...
echo "The golden output is up to date."
