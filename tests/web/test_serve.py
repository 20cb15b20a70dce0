# SPDX-License-Identifier: MIT
"""vbo serve without a browser: its interface, its document, its limits; vbo report and vbo plot."""
import http.client
import json
import os
import pathlib
import re
import resource
import socket
import subprocess
import sys
import threading
import time
import unittest

from support import PATIENCE, ROOT, VBO, VboTest, toml

HOSTILE = "<img src=x onerror=alert(1)>"


def serve(test, *arguments, more=False):
    """Starts vbo serve on a free port; its address, or also process and port."""
    if "--port" not in arguments:
        arguments = (*arguments, "--port", "0")
    process = test.start("serve", *arguments)
    line = process.stdout.readline()
    test.assertRegex(line, r"^http://[\w.:\[\]]+:\d+/$", process.stderr.read() if not line else line)
    url = line.strip()
    port = int(url.rstrip("/").rpartition(":")[2])
    return (url, process, port) if more else url


def write_hostile_study(test):
    """Its name, a parameter, a category, an error and standard error are all markup."""
    command = ["sh", "-c", f"if test $VBO_TRIAL_ID = 2; then echo '{HOSTILE}' >&2; exit 9; fi; echo 1.$VBO_TRIAL_ID"]
    test.write("hostile.toml", f"""[study]
name = {toml(HOSTILE)}
goal = "minimize"
budget = 6
batch = 2
seed = 1
storage = "hostile.db"
[optimizer]
method = "random"
[[parameter]]
name = {toml(HOSTILE)}
type = "float"
low = 0.0
high = 1.0
[[parameter]]
name = "kind"
type = "categorical"
choices = [{toml(HOSTILE)}, "</script>"]
[evaluate]
command = {toml(command)}
retries = 0
""")
    test.vbo("run", "hostile.toml")
    ids = [t["id"] for t in test.json("ask", "hostile.toml", "-n", "1", "--over-budget")]
    test.vbo("tell", "hostile.db", ids[0], "--fail", HOSTILE)


class ServeTest(VboTest):
    def serve(self, *arguments):
        self.url, self.process, self.port = serve(self, *arguments, more=True)

    def request(self, method, path, body=None, expect=200, headers=None, largest=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        headers = dict(headers or {})
        if body is not None and "Content-Type" not in headers:
            headers["Content-Type"] = "application/json"
        data = json.dumps(body) if isinstance(body, (dict, list)) else body
        connection.request(method, path, data, headers)
        response = connection.getresponse()
        text = response.read()
        self.assertLessEqual(len(text), largest or len(text), "bytes of one answer")
        self.assertEqual(response.status, expect, f"{method} {path}: {text[:300]}")
        self.headers = response.headers
        connection.close()
        return json.loads(text) if response.headers["Content-Type"] == "application/json" else text

    def get(self, path, **more):
        return self.request("GET", path, **more)


class Interface(ServeTest):
    def setUp(self):
        super().setUp()
        self.study(budget=30)
        self.vbo("ask", "study.toml", "-n", "2")

    def test_reading(self):
        self.vbo("run", "study.toml")
        self.serve("parabola.db")
        self.get("/api/importance")  # with it comes what the study says about noise
        study = self.get("/api/study")
        status = self.json("status", "parabola.db")
        until = time.monotonic() + PATIENCE  # the server estimates noise beside its answers
        while study["noise"] != status["noise"] and time.monotonic() < until:
            time.sleep(0.05)
            study = self.get("/api/study")
        self.assertEqual({key: study[key] for key in status if key != "storage"}, {key: status[key] for key in status if key != "storage"})
        self.assertEqual(study["storage"], "parabola.db")
        listed = self.get("/api/trials")
        self.assertRegex(listed["trials"][0]["worker"], r"^.+:\d+$")  # machine and process
        self.assertEqual([t["id"] for t in sorted(listed["trials"], key=lambda t: t["id"])], list(range(1, 31)))
        self.assertFalse(listed["more"])
        self.assertEqual(listed["event"], study["event"])
        known = {t["id"]: t for t in self.json("trials", "parabola.db")}
        for trial in listed["trials"]:
            expected = {key: value for key, value in known[trial["id"]].items() if key != "stderr"}
            self.assertEqual({key: trial[key] for key in expected}, expected)
        half = self.get(f"/api/trials?after={study['event'] // 2}")
        self.assertTrue(0 < len(half["trials"]) < 30)
        self.assertTrue(all(max(t["asked_in"], t["told_in"]) > study["event"] // 2 for t in half["trials"]))
        self.assertEqual(self.get(f"/api/trials?after={study['event']}")["trials"], [])
        one = self.get("/api/trials/3")
        self.assertEqual(one["params"], known[3]["params"])
        self.assertEqual(one["ledger"]["source"], self.json("explain", "parabola.db", 3)["source"])
        importance = self.get("/api/importance")
        self.assertEqual([(e["parameter"], e["nats"]) for e in importance],
                         [(e["parameter"], e["nats"]) for e in self.json("importance", "parabola.db")])

    def test_what_is_wrong_is_said(self):
        self.serve("parabola.db", "--allow-tell")
        for path in ("/api/trials/99", "/api/trials/x", "/api/nothing", "/favicon.ico", "/api/trials/1/2"):
            self.assertTrue(self.get(path, expect=404)["error"])
        for path in ("/api/trials?after=x", "/api/trials?after=-1", "/api/trials?before=1", "/api/trials?after=99999999999999999999"):
            self.assertIn("after=EVENT", self.get(path, expect=400)["error"])
        self.request("DELETE", "/api/trials/1", expect=405)
        self.get("/api/ask", expect=405)
        for body, word in (("{", "not valid JSON"), ("[]", "object"), ('{"count": 0}', "count"), ('{"count": "x"}', "count"), ('{"n": 1}', "n")):
            self.assertIn(word, self.request("POST", "/api/ask", body, 400)["error"])
        for body, word in (({"id": 1}, "value"), ({"value": 1}, "id"), ({"id": 1, "value": "x"}, "value"), ({"id": 1, "value": 1, "error": "x"}, "value"),
                           ({"id": 1, "value": 1, "metrics": {"m": "x"}}, "metrics.m"), ({"id": 1, "value": 1, "extra": 1}, "extra")):
            self.assertIn(word, self.request("POST", "/api/tell", body, 400)["error"])
        self.request("POST", "/api/tell", {"id": 99, "value": 1.0}, 404)
        self.request("POST", "/api/ask", '{"count": 1}', 415, headers={"Content-Type": "text/plain"})

    def test_asking_and_telling(self):
        self.serve("parabola.db", "--allow-tell")
        refused = self.request("POST", "/api/ask", {"count": 10000}, 400)["error"]
        self.assertIn("the budget of", refused)
        asked = self.request("POST", "/api/ask", {"count": 3})
        self.assertEqual([t["id"] for t in asked], [3, 4, 5])
        self.assertEqual(set(asked[0]["params"]), {"x", "n", "kind"})
        told = self.request("POST", "/api/tell", {"id": 3, "value": 0.5})
        self.assertEqual(told, {"id": 3, "state": "completed", "value": 0.5, "error": None})
        self.assertEqual(self.request("POST", "/api/tell", {"id": 4, "error": "broke"})["state"], "failed")
        self.assertEqual(self.json("best", "parabola.db")["value"], 0.5)
        self.wait_until(lambda: self.get("/api/study")["completed"] == 1, "the server has seen it")

    def test_what_was_changed_is_in_the_trial(self):
        self.vbo("run", "study.toml")
        self.serve("parabola.db")
        self.assertEqual(self.get("/api/trials/3")["history"], [])
        before = self.json("explain", "parabola.db", 3)["value"]
        self.vbo("tell", "parabola.db", 3, 1.25, "--replace", "decimal point")
        [change] = self.get("/api/trials/3")["history"]
        self.assertEqual([change], self.json("explain", "parabola.db", 3)["history"])
        self.assertEqual((change["kind"], change["reason"], change["event"]), ("replaced", "decimal point", None))
        self.assertEqual((change["before"]["value"], change["after"]["value"]), (before, 1.25))

    def test_under_noise_the_best_before_is_said_to_be_a_single_result(self):
        self.study(["sh", "-c", "awk 'BEGIN {srand('$VBO_TRIAL_ID' * 7919); rand(); print ({x} - 1) ^ 2 / 20 + 8 * rand()}'"], budget=60, method="gp-logei")
        for file in self.folder.glob("parabola.db*"):
            file.unlink()
        self.vbo("run", "study.toml")
        self.assertEqual(self.json("status", "parabola.db")["noise"]["verdict"], "present")
        self.serve("parabola.db")
        self.get("/api/importance")  # with it comes what the study says about noise
        whys = [self.get(f"/api/trials/{trial}")["why"] for trial in range(40, 61)]
        self.assertTrue(any("best single result so far" in why for why in whys), whys)
        self.assertFalse(any("best so far" in why for why in whys), whys)

    def test_asking_and_telling_while_the_study_runs(self):
        self.study(["sh", "-c", "sleep 0.2; echo 1"], budget=24, name="slow.toml")
        text = (self.folder / "slow.toml").read_text().replace("parabola.db", "slow.db")
        self.write("slow.toml", text)
        run = self.start("run", "slow.toml")
        self.wait_status(lambda status: status["completed"] > 1, "the study runs", db="slow.db")
        self.serve("slow.db", "--allow-tell")
        asked = self.request("POST", "/api/ask", {"count": 1})
        self.assertEqual(len(asked), 1)
        self.request("POST", "/api/tell", {"id": asked[0]["id"], "value": 0.25, "metrics": {"mass": 3.5}})
        self.assertIsNone(run.poll(), "it was still running")
        self.finish(run, 0)
        self.assertEqual(self.json("best", "slow.db")["value"], 0.25)
        self.assertEqual(self.get(f"/api/trials/{asked[0]['id']}")["metrics"], {"mass": 3.5})

    def test_read_only_unless_told_otherwise(self):
        self.serve("parabola.db")
        for path, body in (("/api/ask", {"count": 1}), ("/api/tell", {"id": 1, "value": 1})):
            self.assertIn("--allow-tell", self.request("POST", path, body, 403)["error"])
        self.assertEqual(self.json("status", "parabola.db")["waiting"], 2)

    def test_events_arrive_while_the_study_runs(self):
        self.serve("parabola.db")
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        connection.request("GET", "/api/events")
        response = connection.getresponse()
        self.assertEqual(response.headers["Content-Type"], "text/event-stream")
        self.assertEqual(response.readline(), b"event: hello\n")
        hello = json.loads(response.readline()[6:])
        run = self.start("run", "study.toml")
        versions = []
        deadline = time.monotonic() + PATIENCE
        while self.get("/api/study")["completed"] < 30 and time.monotonic() < deadline:
            time.sleep(0.05)
        self.finish(run, 0)
        while not versions or len(versions) < 1:
            line = response.readline()
            if line == b"event: change\n":
                message = json.loads(response.readline()[6:])
                self.assertEqual(message["instance"], hello["instance"])
                versions.append(message["version"])
        self.assertEqual(versions[0], hello["version"] + 1)
        connection.close()

    def test_serving_does_not_disturb_a_run(self):
        """Many readers at once, and the suggestions are those of an undisturbed run."""
        self.serve("study.toml")
        stop = threading.Event()
        def read():
            while not stop.is_set():
                self.get("/api/trials")
        threads = [threading.Thread(target=read) for _ in range(3)]
        for thread in threads:
            thread.start()
        self.vbo("run", "study.toml")
        stop.set()
        for thread in threads:
            thread.join()
        disturbed = [t["params"] for t in self.json("trials", "parabola.db")]
        for file in self.folder.glob("parabola.db*"):
            file.unlink()
        self.vbo("ask", "study.toml", "-n", "2")
        self.vbo("run", "study.toml")
        self.assertEqual([t["params"] for t in self.json("trials", "parabola.db")], disturbed)

    def test_ctrl_c_ends_it(self):
        self.serve("parabola.db")
        self.process.send_signal(2)
        out, err = self.process.communicate(timeout=PATIENCE)
        self.assertEqual(self.process.returncode, 0, err)


class Document(ServeTest):
    """docs/reference/openapi.json says what the server does, and the server does what it says."""

    def check(self, schema, value, where):
        if "$ref" in schema:
            schema = self.document["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
        kinds = schema.get("type", [])
        kinds = [kinds] if isinstance(kinds, str) else kinds
        types = {"object": dict, "array": list, "string": str, "integer": int, "number": (int, float), "boolean": bool, "null": type(None)}
        if kinds:
            self.assertTrue(any(isinstance(value, types[kind]) for kind in kinds), f"{where}: {value!r} is not {kinds}")
        if isinstance(value, dict) and "properties" in schema:
            for name in schema.get("required", []):
                self.assertIn(name, value, where)
            extra = set(value) - set(schema["properties"])
            self.assertFalse(extra, f"{where}: the document does not know {extra}")
            for name, item in value.items():
                self.check(schema["properties"][name], item, f"{where}.{name}")
        if isinstance(value, list) and "items" in schema:
            for item in value:
                self.check(schema["items"], item, f"{where}[]")

    def test_every_path_answers_as_documented(self):
        self.document = json.loads((ROOT / "docs/reference/openapi.json").read_text())
        self.study(budget=40)
        self.vbo("run", "study.toml")
        self.vbo("ask", "study.toml", "-n", "2", "--over-budget")
        self.serve("parabola.db", "--allow-tell")
        bodies = {"/api/ask": [{"count": 2, "over_budget": True}], "/api/tell": [{"id": 41, "value": 1.5}, {"id": 42, "error": "broke"}],
                  "/api/drop": [{"ids": [43], "reason": "out of material"}]}
        for path, methods in self.document["paths"].items():
            for method, operation in methods.items():
                answer = operation["responses"]["200"]["content"]
                if "application/json" not in answer:
                    continue
                for body in bodies.get(path, [None]):
                    if body is not None:
                        self.check(operation["requestBody"]["content"]["application/json"]["schema"], body, path)
                    found = self.request(method.upper(), path.replace("{id}", "1"), body)
                    self.check(answer["application/json"]["schema"], found, path)
        failed = self.get("/api/trials/99999", expect=404)
        self.check(self.document["components"]["schemas"]["Error"], failed, "error")

    def test_every_path_of_the_document_is_in_the_text_and_the_other_way_round(self):
        document = json.loads((ROOT / "docs/reference/openapi.json").read_text())
        text = (ROOT / "docs/reference/http.md").read_text()
        named = set(re.findall(r"`(?:GET|POST) (/[\w/]*)", text))
        self.assertEqual({path.split("{")[0].rstrip("/") or "/" for path in document["paths"]}, {path.removesuffix("ID").rstrip("/") or "/" for path in named})

    def test_robots(self):
        """The examples, against a real server: 20 lines of Python's standard library, and curl."""
        self.study(budget=12)
        self.vbo("ask", "study.toml", "-n", "1")
        self.serve("study.toml", "--allow-tell")
        for robot in ([sys.executable, ROOT / "examples/robot.py"], ["bash", ROOT / "examples/robot.sh"]):
            before = self.json("status", "parabola.db")["completed"]
            done = subprocess.run([*map(str, robot), self.url.rstrip("/")], capture_output=True, text=True, timeout=PATIENCE)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertGreater(self.json("status", "parabola.db")["completed"], before)
        self.assertLessEqual(len((ROOT / "examples/robot.py").read_text().splitlines()), 22)


class Safety(ServeTest):
    def setUp(self):
        super().setUp()
        self.study(budget=4)
        self.vbo("ask", "study.toml", "-n", "2")

    def alive(self):
        self.assertIn(b"<!DOCTYPE html>", self.get("/")[:40])

    def raw(self, data, limit=4096):
        with socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE) as connection:
            connection.sendall(data)
            try:
                return connection.recv(limit)
            except ConnectionResetError:
                return b""

    def test_other_addresses_need_a_token(self):
        self.assertIn("needs --token-file", self.vbo("serve", "parabola.db", "--host", "0.0.0.0", "--port", "0", expect=2).stderr)
        self.write("short", "abc\n")
        self.assertIn("at least 16", self.vbo("serve", "parabola.db", "--token-file", "short", "--port", "0", expect=2).stderr)
        self.assertIn("cannot be read", self.vbo("serve", "parabola.db", "--token-file", "none", "--port", "0", expect=2).stderr)

    def test_token(self):
        self.write("token", "correct-horse-battery\n")
        self.serve("parabola.db", "--token-file", "token")
        self.alive()  # the page holds nothing
        for headers in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": "correct-horse-battery"}, {"Authorization": "Bearer correct-horse-batter"}):
            for path in ("/api/study", "/%61pi/study", "/%61%70%69%2fstudy", "/api%2Fevents", "/%61pi/events"):
                self.get(path, expect=401, headers=headers)
        self.get("/%61pi/study", headers={"Authorization": "Bearer correct-horse-battery"})
        self.get("/api/study", headers={"Authorization": "Bearer correct-horse-battery"})
        self.assertNotIn(b"correct-horse", self.get("/"))

    def test_host_and_origin(self):
        self.serve("parabola.db", "--allow-tell")
        for host in ("evil.example", f"evil.example:{self.port}", "127.0.0.1.evil.example", ""):
            self.get("/api/study", expect=403, headers={"Host": host})
        for host in (f"127.0.0.1:{self.port}", f"localhost:{self.port}", f"[::1]:{self.port}"):
            self.get("/api/study", headers={"Host": host})
        self.request("POST", "/api/ask", {"count": 1}, 403, headers={"Origin": "http://evil.example"})
        self.get("/api/study", expect=403, headers={"Origin": "null"})
        self.assertNotIn("Access-Control-Allow-Origin", self.headers)

    def test_headers(self):
        self.serve("parabola.db")
        self.get("/")
        policy = self.headers["Content-Security-Policy"]
        self.assertIn("default-src 'none'", policy)
        self.assertNotIn("unsafe", policy)
        self.assertIn("frame-ancestors 'none'", policy)
        self.assertEqual(self.headers["X-Content-Type-Options"], "nosniff")

    def test_malformed_requests(self):
        self.serve("parabola.db")
        for data in (b"\x00\x01\x02\r\n\r\n", b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"GET /" + b"a" * 100000 + b" HTTP/1.1\r\n\r\n",
                     b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n" + b"x: y\r\n" * 10000 + b"\r\n",
                     b"POST /api/ask HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: -5\r\n\r\n",
                     b"POST /api/ask HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n",
                     b"GET /%00%ff%zz?%=&&&a=%2 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"):
            answer = self.raw(data)
            self.assertTrue(answer == b"" or answer.startswith(b"HTTP/1.1 4"), answer[:100])
            self.alive()

    def test_what_a_body_is_must_be_plain(self):
        """A proxy that reads a request otherwise would let a second one pass inside its body."""
        self.serve("parabola.db", "--allow-tell")
        hidden = b"GET /api/study HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
        start = b"POST /api/tell HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        for framing, status in ((b"Transfer-Encoding: xchunked\r\n", b"501"), (b"Transfer-Encoding: gzip, chunked\r\n", b"501"),
                                (b"Transfer-Encoding: identity\r\n", b"501"), (b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", b"501"),
                                (b"Content-Length: 3\r\nContent-Length: 30\r\n", b"400"), (b"Host: localhost\r\nContent-Length: 0\r\n", b"400")):
            answer = self.raw(start + framing + b"\r\n" + hidden)
            self.assertEqual(answer.count(b"HTTP/1.1 "), 1, (framing, answer[:300]))
            self.assertTrue(answer.startswith(b"HTTP/1.1 " + status) or answer.startswith(b"HTTP/1.1 400"), (framing, answer[:300]))
            self.alive()

    def test_a_gigabyte_is_refused_before_it_is_read(self):
        self.serve("parabola.db", "--allow-tell")
        head = b"POST /api/tell HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 1073741824\r\n\r\n"
        self.assertTrue(self.raw(head + b"x" * 1000).startswith(b"HTTP/1.1 413"))
        chunked = b"POST /api/tell HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
        with socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE) as connection:
            try:
                connection.sendall(chunked)
                for _ in range(64):
                    connection.sendall(b"10000\r\n" + b"x" * 65536 + b"\r\n")
                self.assertTrue(connection.recv(4096).startswith(b"HTTP/1.1 413"))
            except (ConnectionResetError, BrokenPipeError):
                pass  # closed while we were still sending
        self.alive()
        self.assertLess(self.memory("VmHWM"), 400_000 * (10 if os.environ.get("VBO_INSTRUMENTED") else 1), "kB of memory")

    def test_a_thousand_slow_connections(self):
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(4096, hard), hard))
        self.addCleanup(resource.setrlimit, resource.RLIMIT_NOFILE, (soft, hard))
        self.serve("parabola.db")
        slow = []
        try:
            for _ in range(1000):
                connection = socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE)
                connection.sendall(b"GET / HTTP/1.1\r\nHost: 127.")
                slow.append(connection)
            self.alive()
            self.get("/api/study")
        finally:
            for connection in slow:
                connection.close()
        self.process.send_signal(2)
        _, err = self.process.communicate(timeout=PATIENCE)
        self.assertLessEqual(len(err.splitlines()), 2, err)

    def test_clients_that_do_not_read(self):
        """300 of them, each asking for all of a large study: little is kept for them, and who reads gets everything."""
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(4096, hard), hard))
        self.addCleanup(resource.setrlimit, resource.RLIMIT_NOFILE, (soft, hard))
        rows = 60_000
        self.study(budget=rows, name="large.toml")
        self.write("large.toml", (self.folder / "large.toml").read_text().replace("parabola.db", "large.db"))
        kinds = ("plain", "with space")
        self.write("rows.csv", "x,n,kind,value\n" + "".join(f"{15 * i / rows - 5},{i % 21},{kinds[i % 2]},{i % 977}\n" for i in range(rows)))
        self.vbo("import", "large.toml", "rows.csv")
        self.serve("large.db")
        before = self.memory("VmRSS")
        silent = []
        try:
            for i in range(300):
                connection = socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE)
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
                path = (f"/api/trials?after=1:{100 * i}", "/api/trials", "/api/page", ("/api/front", "/api/events")[i // 4 % 2])[i % 4]
                connection.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
                silent.append(connection)
            ids, after, more = set(), "0", True
            while more:
                answer = self.request("GET", f"/api/trials?after={after}", largest=2 << 20)
                ids.update(t["id"] for t in answer["trials"])
                after, more = answer["next"], answer["more"]
            self.assertEqual(len(ids), rows)
            self.assertEqual((answer["event"], after), (1, "1"), "one import is one event")
            self.alive()
        finally:
            for connection in silent:
                connection.close()
        grown = self.memory("VmHWM") - before
        self.assertLess(grown, 160_000 * (10 if os.environ.get("VBO_INSTRUMENTED") else 1), "kB of memory for clients that do not read")

    def memory(self, what):
        """In kB."""
        return int(re.search(rf"{what}:\s+(\d+)", pathlib.Path(f"/proc/{self.process.pid}/status").read_text()).group(1))

    def test_no_secrets(self):
        """What the study file gives to the evaluator stays there."""
        text = (self.folder / "study.toml").read_text().replace('"awk"', '"env", "KEY=swordfish", "awk"').replace("parabola.db", "secret.db")
        self.write("secret.toml", text)
        self.vbo("ask", "secret.toml")
        self.serve("secret.db")
        for path in ("/", "/api/study", "/api/trials", "/api/trials/1", "/api/page"):
            found = self.get(path)
            self.assertNotIn("swordfish", found.decode("latin1") if isinstance(found, bytes) else json.dumps(found))


class Files(VboTest):
    def test_report(self):
        self.study(budget=30)
        self.vbo("run", "study.toml")
        self.assertIn("wrote report.html", self.vbo("report", "study.toml").stdout)
        page = (self.folder / "report.html").read_text()
        self.assertNotRegex(page, r"(?i)<(link|img|iframe)\b|src=[\"']?http")
        self.assertIn("cannot write", self.vbo("report", "parabola.db", "-o", "no/such/folder.html", expect=5).stderr)
        self.assertIn("no such file", self.vbo("report", "none.db", expect=2).stderr)
        self.assertEqual([f for f in os.listdir(self.folder) if f.endswith(".new")], [])

    def test_plot(self):
        self.study(budget=40)
        self.vbo("run", "study.toml")
        text = self.vbo("plot", "parabola.db").stdout
        self.assertIn("40 evaluations", text)
        self.assertRegex(text, "[\u2801-\u28ff]")
        self.assertRegex(text, r"(?m)^x +█")
        self.assertTrue(all(len(line) <= 90 for line in text.splitlines()))

    def test_plot_of_nothing(self):
        self.study()
        self.vbo("ask", "study.toml")
        self.assertIn("has succeeded yet", self.vbo("plot", "parabola.db", expect=3).stderr)

    def test_watching(self):
        self.study(["sh", "-c", "sleep 0.2; echo 1"], budget=8, workers=2)
        self.vbo("ask", "study.toml")
        watch = self.start("status", "study.toml", "--watch")
        self.vbo("run", "study.toml")
        out, _ = self.finish(watch, 0)
        self.assertIn("8 of 8 (100 %)", out)
        self.assertGreater(out.count("evaluated"), 1)
        self.assertIn("expected one of them", self.vbo("status", "parabola.db", "--watch", "--json", expect=2).stderr)


if __name__ == "__main__":
    unittest.main()
