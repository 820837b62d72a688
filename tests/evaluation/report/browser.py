"""Chromium without a window, driven over its DevTools protocol."""

import base64
import json
import shutil
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from websockets.sync.client import ClientConnection, connect

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("chrome")
_FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--remote-debugging-port=0",
    "--window-size=1280,900",
]
_WAIT_S = 60.0


class Tab:
    """One open page: what it logged, what it asked the network for, and its document."""

    def __init__(self, connection: ClientConnection) -> None:
        self._connection = connection
        self._asked = 0
        self.events: list[dict[str, Any]] = []
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **params: object) -> dict[str, Any]:
        """Send one command and return its result; events on the way are kept."""
        self._asked += 1
        self._connection.send(json.dumps({"id": self._asked, "method": method, "params": params}))
        while True:
            message = json.loads(self._connection.recv(timeout=_WAIT_S))
            if message.get("id") == self._asked:
                assert "error" not in message, message
                result: dict[str, Any] = message["result"]
                return result
            self.events.append(message)

    def open(self, page: Path) -> None:
        """Load a file and wait until it is there."""
        self.call("Page.navigate", url=page.as_uri())
        until = time.monotonic() + _WAIT_S
        while self.value("document.readyState + location.href") != f"complete{page.as_uri()}":
            assert time.monotonic() < until, "the page did not load"

    def value(self, script: str) -> Any:
        """Evaluate an expression in the page."""
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def press(self, key: str, code: int) -> None:
        """Press and release one key."""
        text = {"text": "\r"} if key == "Enter" else {}
        common = {"key": key, "code": key, "windowsVirtualKeyCode": code}
        self.call("Input.dispatchKeyEvent", type="keyDown", **common, **text)
        self.call("Input.dispatchKeyEvent", type="keyUp", **common)

    def prefer(self, scheme: str) -> None:
        """Have the system ask for `light` or `dark`."""
        feature = {"name": "prefers-color-scheme", "value": scheme}
        self.call("Emulation.setEmulatedMedia", features=[feature])

    def picture(self, clip: dict[str, float] | None = None) -> bytes:
        """Return a PNG of a part of the page, or of all of it."""
        size = self.call("Page.getLayoutMetrics")["cssContentSize"]
        shot = self.call(
            "Page.captureScreenshot",
            captureBeyondViewport=True,
            clip={**(clip or size), "scale": 1},
        )
        return base64.b64decode(shot["data"])

    def errors(self) -> list[str]:
        """What a reader would find in the console: uncaught errors, errors and warnings."""
        found = [
            json.dumps(event["params"])
            for event in self.events
            if event.get("method") == "Runtime.exceptionThrown"
        ]
        logged = (event["params"] for event in self.events if event.get("method") == _LOGGED)
        found += [json.dumps(entry) for entry in logged if entry["entry"]["level"] != "info"]
        said = (event["params"] for event in self.events if event.get("method") == _SAID)
        return found + [json.dumps(call) for call in said if call["type"] in {"error", "warning"}]

    def requests(self) -> list[str]:
        """The addresses that the page asked for."""
        return [
            event["params"]["request"]["url"]
            for event in self.events
            if event.get("method") == "Network.requestWillBeSent"
        ]


_LOGGED, _SAID = "Log.entryAdded", "Runtime.consoleAPICalled"


@contextmanager
def opened_tab(folder: Path) -> Iterator[Tab]:
    """Start Chromium with a profile of its own under `folder`, and end it afterwards."""
    profile = folder / "profile"
    assert CHROMIUM is not None
    process = subprocess.Popen(
        [CHROMIUM, *_FLAGS, f"--user-data-dir={profile}", "about:blank"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        with connect(_address(profile, process), max_size=None, proxy=None) as connection:
            yield Tab(connection)
            connection.send(json.dumps({"id": 0, "method": "Browser.close"}))
            process.wait(_WAIT_S)
    finally:
        process.kill()
        process.wait()


def _address(profile: Path, process: "subprocess.Popen[bytes]") -> str:
    """Wait for the port that Chromium chose, and return the address of its first page."""
    written = profile / "DevToolsActivePort"
    until = time.monotonic() + _WAIT_S
    while not (written.exists() and written.read_text().count("\n")):
        assert process.poll() is None, "Chromium ended at once"
        assert time.monotonic() < until, "Chromium did not start"
        time.sleep(0.05)
    port = written.read_text().splitlines()[0]
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with direct.open(f"http://127.0.0.1:{port}/json/list", timeout=_WAIT_S) as answer:
        targets = json.load(answer)
    address: str = next(t["webSocketDebuggerUrl"] for t in targets if t["type"] == "page")
    return address
