# SPDX-License-Identifier: MIT
# A robot without vbo installed: asks a running `vbo serve STUDY --allow-tell` what to try, and tells what came of it.
import json
import sys
import urllib.request


def post(path, body):
    request = urllib.request.Request(sys.argv[1] + path, json.dumps(body).encode(), {"Content-Type": "application/json"})
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


def experiment(x, n, kind):
    return (x - 1) ** 2 + n / 10


for _ in range(3):
    for suggestion in post("/api/ask", {"count": 2}):
        post("/api/tell", {"id": suggestion["id"], "value": experiment(**suggestion["params"])})
with urllib.request.urlopen(sys.argv[1] + "/api/study") as answer:
    print("best so far:", json.load(answer)["best"])
