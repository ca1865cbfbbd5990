# Slipway's targets. `make` alone explains them; CONTRIBUTING.md says when to use which.

PORT    ?= 7700
VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
LDFLAGS := -s -w -X main.version=$(VERSION)

.DEFAULT_GOAL := help
.PHONY: help up setup build test test-asl test-aws test-clients test-crash test-model test-faults bench size fuzz cross lint fmt generate verify clean \
	deploy destroy synth test-infra

help: ## Say what there is (this)
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-11s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

up: setup build ## Set up, build and run the whole platform on 127.0.0.1:$PORT (7700); Ctrl-C ends it
	@exec bin/slipway up --port $(PORT)

setup: ## Check that this machine has what is needed, and say exactly what is not
	@tools/setup run

build: ## Build bin/slipway
	go build -trimpath -ldflags '$(LDFLAGS)' -o bin/slipway ./cmd/slipway

test: ## The fast suite: vet, then every test with the race detector
	@tools/setup test
	go vet -tags slow ./...
	GORACE="$${GORACE:-atexit_sleep_ms=50}" go test -race -timeout 10m ./...

test-asl: ## The state machines against the official ASL schema (needs npm)
	@tools/setup npm
	sh statemachines/validate.sh

test-aws: ## The AWS suite on LocalStack, without Docker (needs Python 3, Node.js, a JDK; installs on first use)
	@tools/setup aws
	go test -count=1 -run '^$$' ./shared/aws/... ./localstack/aws/... ./e2e/aws
	go build -o bin/localstack ./localstack/aws/cmd/localstack
	infra/localstack prepare
	python="$$(tools/clients)" && SLIPWAY_CLIENT_PYTHON="$$python" bin/localstack -- sh -c 'go test -count=1 ./shared/aws/... ./localstack/aws/... && infra/localstack >dist/stack.json && \
		SLIPWAY_STACK="$$PWD/dist/stack.json" go test -v -count=1 -timeout 30m -parallel 8 ./e2e/aws'

test-clients: ## A client made of Harness's own description of its routes, on the platform (needs Python 3; installs on first use)
	@tools/setup clients
	python="$$(tools/clients)" && SLIPWAY_CLIENT_PYTHON="$$python" go test -count=1 ./e2e/clients

test-crash: ## Slow: kill, delay and repeat at every await point
	go test -count=1 -timeout 40m -tags slow -skip '^(TestModelLong|TestFaults)$$' ./e2e/...

CASES ?= 100000
test-model: ## Slow: the engine against the reference model on random pipelines (CASES=1000000 for more)
	go test -count=1 -timeout 60m -tags slow -v -run '^TestModelLong$$' ./e2e/model -cases $(CASES)

test-faults: ## One fault at a time in the engine and the compiler, each to be noticed: four minutes
	go test -count=1 -timeout 60m -tags slow -v -run '^TestFaults$$' ./e2e/model

bench: ## What a run costs: transitions, invocations, write and read units, time
	go run ./e2e/bench

size: ## How large every function is as it is deployed; fails when one is too large
	@cd functions && go test -count=1 -tags slow -run '^TestSize$$'

fuzz: ## Every fuzz target for 20 seconds (FUZZTIME=1m for longer)
	@tools/fuzz

cross: ## Compile for linux, darwin and windows on amd64 and arm64
	@tools/cross

# Parameters of a deployment, given on make's command line: make deploy NAME=cd REGION=eu-central-1
parameter  = $(if $(findstring command,$(origin $(1))),'$(2)=$($(1))')
parameters = version='$(VERSION)' $(call parameter,NAME,name) $(call parameter,REGION,region) $(call parameter,ARCH,arch) \
	$(call parameter,DOMAIN,domain) $(call parameter,CERTIFICATE,certificate) $(call parameter,ZONE,zone) \
	$(call parameter,ZONE_NAME,zoneName) $(call parameter,URL,url) $(call parameter,RETENTION_DAYS,retentionDays) \
	$(call parameter,DATA_DAYS,dataDays) $(call parameter,MAX_RUNS,maxRuns) $(call parameter,ACCOUNT_ID,accountId) $(call parameter,LOG_LEVEL,logLevel) $(call parameter,TRACING,tracing) \
	$(call parameter,KMS_KEY,kmsKey) $(call parameter,ALARM_EMAIL,alarmEmail) $(call parameter,DASHBOARD,dashboard) \
	$(call parameter,DESTROY_DATA,destroyData) $(call parameter,CODE,code) $(call parameter,TABLE,table) \
	$(call parameter,TABLE_STREAM,tableStream)

deploy: ## Put Slipway into an AWS account (docs/guide/aws.md has the parameters)
	@infra/deploy deploy $(parameters)

destroy: ## Take it away again; table and bucket stay
	@infra/deploy destroy $(parameters)

synth: ## Write the CloudFormation template that deploy would use to dist/cdk.out
	@infra/deploy synth $(parameters)

test-infra: ## The stack: golden templates and rules (needs Node.js); UPDATE=-update rewrites the templates
	@tools/setup cdk
	cd infra && go vet ./... && go test -count=1 ./settings ./standin && go test -count=1 ./stack $(UPDATE)

lint: ## golangci-lint, built once from tools/go.mod
	tools/golangci-lint run ./...

fmt: ## Format the Go code
	tools/golangci-lint fmt ./...

generate: ## Bring generated files up to date
	go generate ./...
	go test -count=1 -run '^TestHouse$$' ./shared/guard -update

verify: ## Everything a change must pass: generate, fmt, lint, test, and a clean tree
	@$(MAKE) --no-print-directory generate
	@$(MAKE) --no-print-directory fmt
	@$(MAKE) --no-print-directory lint
	@$(MAKE) --no-print-directory test
	@tools/clean-tree

clean: ## Remove what was built; .slipway/ (data) stays
	rm -rf bin dist
