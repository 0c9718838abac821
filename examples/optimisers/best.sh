#!/bin/sh
# Scores candidates, one file each, with one start of Touchstone, and prints fitness,
# feasible and id, the best first. Options for touchstone fitness come from $OPTIONS.
#
#     sh examples/optimisers/best.sh candidates/*.json
set -eu
for file; do
	tr '\n' ' ' <"$file"
	echo
done | "${TOUCHSTONE:-touchstone}" fitness serve ${OPTIONS:-} |
	sed -E -e 's/^\{"id":"([^"]*)","error":"(.*)","fitness".*/error \1: \2/' \
		-e 's/^\{"id":"([^"]*)".*"fitness":([0-9.]+),"feasible":(true|false).*/\2 \3 \1/' |
	sort -rn
