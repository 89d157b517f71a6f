.PHONY: help run dev build check test chaos bench screenshots lighthouse

help: ## Say what there is
	@sed -n 's/^\([a-z]*\):.*## /  make \1	/p' Makefile | expand -t 16

run: ## Build everything and start a demo on a throw-away database (ARGS="--listen ...")
	@scripts/run.sh $(ARGS)

dev: ## The same, rebuilt and restarted at each change of a source file
	@scripts/dev.sh $(ARGS)

build: ## Build target/release/denpyo
	@scripts/build.sh

check: ## Format, lints, licences, unit tests
	@scripts/check.sh

test: ## All tests, the browser's included (T=NAME for those with NAME in their name)
	@scripts/test.sh

chaos: ## Kill workers, let the service misbehave, count the mails (ORDERS=3000 KILLS=60 SEED=1 DB=sqlite)
	@scripts/chaos.sh

bench: ## Fill databases with mails and time the desk's reads (ROWS=1000000 DB=sqlite or postgres)
	@scripts/bench.sh

screenshots: ## Write a picture of every page into docs/screenshots (THEME=dark WIDTH=390 FOLDER=… ONLY=…)
	@scripts/screenshots.sh

lighthouse: ## Ask Lighthouse about the main pages; its reports go into target/lighthouse (FOLDER=…)
	@scripts/lighthouse.sh
