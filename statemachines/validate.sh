#!/bin/sh
# Checks the definitions with asl-validator, an implementation that is not ours.
# Installs it once into the cache; needs node and npm.
set -eu

version=4.0.0
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
cache="${XDG_CACHE_HOME:-$HOME/.cache}/slipway/asl-validator-$version"
tool="$cache/node_modules/.bin/asl-validator"

for command in node npm; do
	if ! command -v "$command" >/dev/null 2>&1; then
		echo "validate.sh: $command is missing: install Node.js 20 or newer, which brings node and npm" >&2
		exit 2
	fi
done

if [ ! -x "$tool" ]; then
	mkdir -p "$cache"
	if ! npm install --prefix "$cache" --no-audit --no-fund --no-save "asl-validator@$version" >"$cache/install.log" 2>&1; then
		cat "$cache/install.log" >&2
		echo "validate.sh: npm could not install asl-validator@$version into $cache: is the npm registry reachable?" >&2
		exit 2
	fi
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM

set --
for file in "$here"/*.asl.json; do
	out="$work/$(basename "$file")"
	# asl-validator takes any key "Branches" for a Parallel state's, so a state of
	# that name gets another one in the copy that it reads.
	sed -e 's|"Branches"|"HoldBranches"|g' \
		-e 's|\${AdvanceFunction}|arn:aws:lambda:eu-west-1:123456789012:function:advance|g' \
		-e 's|\${StageMachine}|arn:aws:states:eu-west-1:123456789012:stateMachine:stage|g' "$file" >"$out"
	if grep -n '\${' "$out" >&2; then
		echo "validate.sh: $file has a substitution that this script does not know: add it above" >&2
		exit 1
	fi
	set -- "$@" --json-path "$out"
done
"$tool" "$@"
