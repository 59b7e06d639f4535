# Every target has a line that says what it does, behind ## if users need it, or behind ###. make without a
# target lists the former, make help-all both.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

# testdata is left out of ./..., but its golden packages are code like any other.
PACKAGES := . ./cmd/... ./generators/... ./templates/... ./runtime/... $(patsubst %,./%...,$(wildcard testdata/*/))

LIST = awk -F ':.*\#\#+ ' '{printf "  make %-18s %s\n", $$1, $$2}'

.PHONY: help
help: ## List the targets that users need
	@grep -hE '^[a-z-]+:[^#]* ## ' $(MAKEFILE_LIST) | $(LIST)

.PHONY: help-all
help-all: ## List all targets, also those for work on this project
	@grep -hE '^[a-z-]+:[^#]* ##+ ' $(MAKEFILE_LIST) | $(LIST)

.PHONY: demo
demo: ## From API types to a running controller, on a real API server
	@echo "Building the demo with a real API server in it: a few minutes the first time, seconds after that."
	@cd test && ../hack/build.sh -ldflags=-w -o bin/demo ./demo
	@exec test/bin/demo

.PHONY: demo-shards
demo-shards: ## Replicas that divide orders among them, and are killed, stopped and added
	@echo "Building the demo with a real API server in it: a few minutes the first time, seconds after that."
	@cd test && ../hack/build.sh -ldflags=-w -o bin/demo-shards ./demo/shards
	@exec test/bin/demo-shards

.PHONY: server
server: ## An API server for custom resources, until it is interrupted; it prints a kubeconfig: make server >kubeconfig
	@echo "Building a real API server: a few minutes the first time, seconds after that." >&2
	@cd test && ../hack/build.sh -ldflags=-w -o bin/server ./server >&2
	@exec test/bin/server

# The user's GOFLAGS, such as -buildvcs=false or -ldflags, would change the bytes.
.PHONY: build
build: ## Build bin/informer-gen: the same bytes of the same commit and version of Go, wherever it is built
	CGO_ENABLED=0 GOFLAGS=-trimpath go build -o bin/informer-gen ./cmd/informer-gen

# The first time, most of the time of tests is the compiler's, which is less when it collects its garbage less
# often. Debug information takes long to link, and vetting looks at every dependency: make lint does that.
TEST := go test -vet=off -ldflags=-w -toolexec 'env GOGC=400'

# RACE=-race runs what has goroutines with the race detector, as CI does.
RACE :=
CONCURRENT := ./generators/... ./runtime/...

.PHONY: test
test: test-unit test-examples test-e2e ## Run all tests: unit, golden, end to end; RACE=-race with the race detector

.PHONY: test-unit
test-unit: format ### Run the tests of this module and of operations
	$(TEST) -timeout 20m $(filter-out $(CONCURRENT),$(PACKAGES))
	$(TEST) $(RACE) -timeout 20m $(CONCURRENT)
	cd operations && $(TEST) $(RACE) -count=1 ./... # not cached: pages of docs are outside of the module

.PHONY: test-examples
test-examples: ### Run the unit tests of the examples; test-e2e runs their programs
	cd examples && $(TEST) $(RACE) ./...
	cd examples/templates/injection && $(TEST) ./...

# Never cached: these tests run the tool, which the test cache does not see. Much of their time is
# waiting, so four packages run at once, the longest first.
.PHONY: test-e2e
test-e2e: ## Run the tests on a real API server
	@echo "Building the tests with a real API server in them: a few minutes the first time."
	cd test && $(TEST) -count=1 -p 4 -timeout 40m ./generate ./...

# Each is test/servers/v<version>.mod; the version of test/go.mod runs in test-e2e. CI takes the oldest,
# and each week all.
SERVERS := 1.31 1.34

.PHONY: servers
servers: ### Run the tests on API servers of older Kubernetes
	@echo "Building API servers of Kubernetes $(SERVERS): some minutes each the first time."
	cd test/servers && go vet ./...
	cd test/servers && for version in $(SERVERS); do \
		go build -modfile=v$$version.mod -o ../bin/apiserver-$$version .; done
	cd test && for version in $(SERVERS); do echo "Kubernetes $$version"; \
		APISERVER=$(CURDIR)/test/bin/apiserver-$$version go test -count=1 -p 4 -ldflags=-w -timeout 40m ./apiserver ./e2e ./ecosystem ./chaos; done

# Each has a tree of its own, which hack/libraries.sh makes of the last commit.
LIBRARIES := 0.34 0.35 0.36
RELEASED := $(LIBRARIES) 0.37

.PHONY: libraries
libraries: ### Make the trees for older minors of Kubernetes' libraries, and run all tests and the demo on them
	@set -e; for minor in $(LIBRARIES); do \
		rm -rf test/bin/libraries-$$minor; hack/libraries.sh $$minor test/bin/libraries-$$minor; \
		$(MAKE) -C test/bin/libraries-$$minor test demo users controller-runtime SUITES=cache; done

.PHONY: release
release: ### Make, test and tag a release for each supported minor of Kubernetes' libraries: make release PATCH=3
	$(MAKE) libraries LIBRARIES="$(RELEASED)"
	hack/tag-libraries.sh '$(PATCH)' $(RELEASED)

.PHONY: format
format: ### Check that Go code is formatted as gofmt does
	@unformatted=$$(git ls-files -co --exclude-standard '*.go' | grep -v '/bad/' | xargs gofmt -l); \
		[ -z "$$unformatted" ] || { echo "not gofmt'ed:"; echo "$$unformatted"; exit 1; }

# Pointers and ints of 4 bytes: the store and the decoders use unsafe.
.PHONY: test-portable
test-portable: ### Run the tests of the runtime and operations on linux/386, and vet for macOS, Windows and arm64
	export CGO_ENABLED=0 GOARCH=386; go test ./runtime/...; cd operations && go test ./...
	export CGO_ENABLED=0; for system in darwin/arm64 windows/amd64 linux/arm64; do \
		export GOOS=$${system%/*} GOARCH=$${system#*/}; \
		go vet . ./cmd/... ./generators/... ./runtime/...; (cd operations && go vet ./...); done

.PHONY: vulncheck
vulncheck: ### Look for known vulnerabilities in dependencies, with the vulnerability database or its mirror at DB
	hack/vulncheck.sh '$(DB)'

.PHONY: generate
generate: ### Regenerate the golden output
	hack/update-codegen.sh

.PHONY: verify
verify: ### Check that the golden output is what the generator writes
	hack/verify-codegen.sh

.PHONY: api
api: ### Write what the public packages export to their api.txt
	go test ./runtime/internal/apinames -run TestPublicPackages -update

.PHONY: bench
bench: ## Measure the runtime and client-go's side by side, and write docs/results/bench and the figures on pages
	@echo "Half an hour, and a few minutes more the first time, when a real API server is built."
	cd test && go run ./bench -docs ../docs/results/bench

.PHONY: scale
scale: ### Measure what objects of a shard cost, extrapolate it to ten million, and write docs/results/scale.md
	cd test && go run ./scale -measure -docs ../docs/results

.PHONY: bench-compare
bench-compare: ### Compare the runtime of commit OLD with this one, in the workloads that match BENCH
	hack/bench-compare.sh '$(OLD)' '$(BENCH)'

.PHONY: bench-generate
bench-generate: ### Measure informer-gen and code-generator's tools side by side, and write docs/results/bench/generate.md
	@echo "Building code-generator's tools, and running them some minutes."
	cd test && go run ./generate/bench -docs ../docs/results/bench

.PHONY: corpus
corpus: ### Run informer-gen over public projects, downloading them, and write docs/results/corpus.md
	@echo "Downloading the modules of public projects: some minutes the first time."
	cd test && go run ./corpus -docs ../docs/results/corpus.md

.PHONY: kubernetes
kubernetes: ### Run kube-controller-manager and kube-scheduler on generated informers, and on client-go's
	@echo "About 20 minutes the first time, when Kubernetes is built twice, and 10 after that."
	cd test/kubernetes && go run .

.PHONY: controller-runtime
controller-runtime: ### Run controller-runtime's own tests, or SUITES of them, on this module's informers and on client-go's
	hack/controller-runtime.sh $(SUITES)

.PHONY: users
users: ### Run the tests of public projects on generated informers, and on those that they publish
	hack/users.sh

.PHONY: fuzz
fuzz: ### Fuzz parsers and the store, FUZZTIME each (default 1m)
	hack/fuzz.sh $(FUZZTIME)

.PHONY: chaos
chaos: ### Inject faults between informers and a real API server, for DURATION (default 2m), SEEDS (1), from SEED (any)
	cd test && go test -count=1 -v -timeout 0 -run TestChaos ./chaos -duration $(or $(DURATION),2m) -seeds $(or $(SEEDS),1) -seed $(or $(SEED),0)

.PHONY: field
field: ### Test informers with proxies, outages and unusual servers in real time, DURATION (default 2m) each
	cd test && go test -count=1 -v -timeout 0 -run TestField ./field -real -duration $(or $(DURATION),2m)

.PHONY: soak
soak: ### Send EVENTS (default 10 million) to slow handlers, and decode for DURATION (2m) beside readers, with the race detector
	cd test && go test -count=1 -v -timeout 0 -run TestSoak ./chaos -events $(or $(EVENTS),10000000)
	go test -race -count=1 -v -timeout 0 -run TestReaders ./runtime/internal/decode -duration $(or $(DURATION),2m)

.PHONY: alerts
alerts: ### Check that the alerts of docs/metrics begin and end when it says, with Prometheus' own tool, built from its module
	@echo "Building promtool from its module: some minutes the first time."
	cd docs/metrics && go run github.com/prometheus/prometheus/cmd/promtool@v0.316.0 check rules rules.yaml
	cd docs/metrics && go run github.com/prometheus/prometheus/cmd/promtool@v0.316.0 test rules rules_test.yaml

.PHONY: lint
lint: ### Run golangci-lint on this module and operations, go vet on the others, and both and gopls on generated code
	@echo "Building golangci-lint from its module: some minutes the first time."
	go run github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.6.0 run $(PACKAGES)
	cd operations && go run github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.6.0 run ./...
	cd test && go vet ./...
	cd examples && go vet ./...
	cd examples/templates/injection && go vet ./...
	hack/lint-generated.sh
