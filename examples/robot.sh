#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The same with curl: robot.sh http://127.0.0.1:8080
set -euo pipefail
post() { curl -sSf -H "Content-Type: application/json" -d "$2" "$url$1"; }
url=$1
for _ in 1 2 3; do
  suggestion=$(post /api/ask '{"count": 1}')  # [{"id":7,"params":{"x":1.5,"n":3,"kind":"plain"}}]
  id=$(sed -E 's/.*"id":([0-9]+).*/\1/' <<<"$suggestion")
  x=$(sed -E 's/.*"x":([-0-9.e]+).*/\1/' <<<"$suggestion")
  post /api/tell "{\"id\": $id, \"value\": $(awk "BEGIN {print ($x - 1) ^ 2}")}"
done
curl -sSf "$url/api/study" | sed -E 's/.*("best":\{[^}]*\}[^}]*\}).*/\1/'
