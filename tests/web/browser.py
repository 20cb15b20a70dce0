# SPDX-License-Identifier: MIT
"""Chromium by its own driver, headless, over the WebDriver protocol: just what the tests of the page need."""
import base64
import json
import os
import pathlib
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

DRIVER = shutil.which("chromedriver")
CHROMIUM = shutil.which("chromium")
PATIENCE = 60.0
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Browser:
    """One window. offline=True: names resolve to nothing, so whatever is not on this machine cannot be reached."""

    def __init__(self, width=1280, height=900, dark=False, offline=True):
        self.profile = tempfile.mkdtemp(prefix="vbo-chromium-")
        self.port = free_port()
        self.driver = subprocess.Popen([DRIVER, f"--port={self.port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                       env={**os.environ, "HOME": self.profile})
        arguments = ["--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
                     "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--disable-extensions",
                     "--force-device-scale-factor=1", "--hide-scrollbars", f"--window-size={width},{height}",
                     f"--user-data-dir={self.profile}/profile"]
        if offline:
            arguments.append("--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1")
        options = {"args": arguments, "binary": CHROMIUM}
        end = time.monotonic() + PATIENCE
        while True:
            try:
                made = self._raw("POST", "/session", {"capabilities": {"alwaysMatch": {
                    "browserName": "chrome", "goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}}})
                break
            except (urllib.error.URLError, ConnectionError):
                if time.monotonic() > end or self.driver.poll() is not None:
                    self.close()
                    raise
                time.sleep(0.1)
        self.session = f"/session/{made['sessionId']}"
        self.resize(width, height)
        self.prefer("dark" if dark else "light")

    def prefer(self, scheme):
        self.cdp("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def _raw(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", data, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            found = json.load(error)["value"]
            raise RuntimeError(f"{found['error']}: {found['message'].splitlines()[0]}") from None

    def call(self, method, path, body=None):
        return self._raw(method, self.session + path, body)

    def resize(self, width, height):
        """The page's own size, without the window's frame."""
        self.cdp("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def cdp(self, command, **parameters):
        return self.call("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def open(self, url):
        self.call("POST", "/url", {"url": url})

    def run(self, script, *arguments):
        return self.call("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def wait(self, script, what, patience=PATIENCE):
        end = time.monotonic() + patience
        while time.monotonic() < end:
            found = self.run(f"return {script}")
            if found:
                return found
            time.sleep(0.05)
        raise AssertionError(f"waited in vain until {what}; the page says: {self.log()}")

    def ready(self):
        self.wait("document.body.dataset.ready === 'yes'", "the page is ready")
        # Two frames later everything that was asked for has been drawn.
        self.later("const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => done(1)))")

    def drag(self, x1, y1, x2, y2):
        """With the mouse, in the coordinates of the window."""
        move = lambda x, y, duration: {"type": "pointerMove", "duration": duration, "x": round(x), "y": round(y)}
        self.call("POST", "/actions", {"actions": [{"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": [
            move(x1, y1, 0), {"type": "pointerDown", "button": 0}, move((x1 + x2) / 2, (y1 + y2) / 2, 80), move(x2, y2, 80),
            {"type": "pointerUp", "button": 0}]}]})

    def click(self, x, y):
        self.drag(x, y, x, y)

    def keys(self, text):
        actions = [action for key in text for action in ({"type": "keyDown", "value": key}, {"type": "keyUp", "value": key})]
        self.call("POST", "/actions", {"actions": [{"type": "key", "id": "keys", "actions": actions}]})

    def log(self):
        """What the console said: errors and refusals of the content policy among it."""
        return [entry["message"] for entry in self.call("POST", "/se/log", {"type": "browser"})]

    def alert(self):
        try:
            return self.call("GET", "/alert/text")
        except RuntimeError:
            return None

    def screenshot(self, file, full=False):
        parameters = {"format": "png"}
        if full:
            size = self.run("return [document.documentElement.scrollWidth, document.documentElement.scrollHeight]")
            parameters.update(captureBeyondViewport=True, clip={"x": 0, "y": 0, "width": size[0], "height": size[1], "scale": 1})
        pathlib.Path(file).write_bytes(base64.b64decode(self.cdp("Page.captureScreenshot", **parameters)["data"]))

    def print(self, file):
        """As a PDF, on the paper the page asks for."""
        made = self.cdp("Page.printToPDF", preferCSSPageSize=True)
        pathlib.Path(file).write_bytes(base64.b64decode(made["data"]))

    def later(self, script, *arguments):
        """What the script gives to its last argument, a function."""
        return self.call("POST", "/execute/async", {"script": script, "args": list(arguments)})

    def close(self):
        try:
            if hasattr(self, "session"):
                self.call("DELETE", "")
        except (RuntimeError, OSError):
            pass
        self.driver.terminate()
        self.driver.wait()
        shutil.rmtree(self.profile, ignore_errors=True)
