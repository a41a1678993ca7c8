#!/usr/bin/env bash
# run_served.sh KARST DEM PROGRAM: builds a package of a DEM, serves it on a free port of this machine, and runs PROGRAM on
# its URL. The exit code is the program's.
set -euo pipefail
karst=$1 dem=$2 program=$3
folder=$(mktemp -d)
server=
trap 'kill "$server" 2>/dev/null || true; wait 2>/dev/null || true; rm -rf "$folder"' EXIT
"$karst" build "$dem" "$folder/ground.karst" --tile-cells 8
"$karst" serve "$folder/ground.karst" --port 0 >"$folder/url" &
server=$!
for _ in $(seq 200); do
    if grep -q http "$folder/url"; then break; fi
    sleep 0.05
done
url=$(grep -o 'http://[^ ]*' "$folder/url")
"$program" "$url"
