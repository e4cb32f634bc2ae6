"""A simulation that is served, and its page in a headless Chromium that Playwright drives."""
from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest
from typing import Any, List, Optional, Sequence

try:
    from playwright.sync_api import ConsoleMessage, Page, sync_playwright
except ImportError:
    sync_playwright = None

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(HERE, "..", "..", "plugins", "python", "tests"))
from require import needs  # noqa: E402

SCENE = os.path.join(HERE, "page.ron")
# Time limit in milliseconds for operations that are slow on a slow machine; it is no measurement.
PATIENCE = 90_000
# Without a graphics card, and without network access.
ARGUMENTS = [
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--disable-background-networking",
    "--disable-component-update",
]
# Chromium's own message about a server that has ended; the page cannot prevent it.
GONE = re.compile(r"ERR_CONNECTION|ERR_EMPTY_RESPONSE|WebSocket connection to")
# The page forbids `eval`, which Playwright's own waiting requires; a promise requires it once, at its start.
WAIT = """new Promise((done, never) => {
    const start = performance.now();
    const look = () => {
        if (%s) done();
        else if (performance.now() - start > %d) never(new Error("never came"));
        else setTimeout(look, 20);
    };
    look();
})"""


def program() -> Optional[str]:
    return shutil.which(os.environ.get("MORSE_SIM") or "morse-sim")


def chromium() -> Optional[str]:
    names = ("chromium", "chromium-browser", "google-chrome")
    return next((path for path in map(shutil.which, names) if path), None)


def lacking() -> str:
    """What the tests need and do not find."""
    if sync_playwright is None:
        return "there is no Playwright: pip install playwright"
    if not chromium():
        return "no Chromium is installed"
    return "" if program() else "there is no morse-sim: set MORSE_SIM to it"


class Served:
    """A run that ends with the test, if not before."""

    def __init__(
        self, test: unittest.TestCase, scene: str = SCENE, port: int = 0, watch: bool = False, settings: Sequence[str] = ()
    ):
        command = [str(program()), scene, "--serve", str(port), *(["--watch"] if watch else [])]
        command += [word for setting in settings for word in ("--set", setting)]
        self.child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        test.addCleanup(self.end)
        assert self.child.stderr
        said = ""
        for line in self.child.stderr:
            said += line
            at = re.search(r"http://[^/]+:(\d+)/", line)
            if at:
                self.address, self.port = at.group(0), int(at.group(1))
                break
        else:
            raise AssertionError(f"it is not served: {said}")
        # All further output is read, so that the program never blocks.
        self.reader = threading.Thread(target=self.child.stderr.read, daemon=True)
        self.reader.start()

    def end(self) -> None:
        self.child.terminate()
        self.child.wait()
        if hasattr(self, "reader"):
            self.reader.join()
        assert self.child.stderr
        self.child.stderr.close()


@needs("browser", not lacking(), lacking())
class PageTest(unittest.TestCase):
    """Each test has a run and a page of its own, and sees to it that the page was well and kept to itself."""

    @classmethod
    def setUpClass(cls) -> None:
        playwright = sync_playwright().start()
        cls.addClassCleanup(playwright.stop)
        cls.browser = playwright.chromium.launch(executable_path=chromium(), args=ARGUMENTS)
        cls.addClassCleanup(cls.browser.close)

    def setUp(self) -> None:
        self.errors: List[str] = []
        self.asked: List[str] = []
        self.served = self.serve()

    def serve(self) -> Served:
        return Served(self)

    def tearDown(self) -> None:
        self.assertEqual(self.errors, [])
        own = (f"http://127.0.0.1:{self.served.port}/", f"ws://127.0.0.1:{self.served.port}/")
        self.assertTrue(any(address.startswith("ws:") for address in self.asked), self.asked)
        self.assertEqual([address for address in self.asked if not address.startswith(own)], [])

    def open(self, width: int = 1280, height: int = 800, **looks: Any) -> "Page":
        """Opens the page and waits until it lives."""
        context = self.browser.new_context(viewport={"width": width, "height": height}, **looks)
        self.addCleanup(context.close)
        self.page = page = context.new_page()
        page.set_default_timeout(PATIENCE)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("console", self.hear)
        page.on("request", lambda request: self.asked.append(request.url))
        page.on("websocket", lambda socket: self.asked.append(socket.url))
        page.goto(self.served.address)
        self.wait("document.getElementById('connection')?.dataset.state === 'live'")
        self.wait("globalThis.morse?.world.now.tick > 0")
        return page

    def hear(self, message: "ConsoleMessage") -> None:
        if message.type == "error" and not GONE.search(message.text):
            self.errors.append(message.text)

    def value(self, expression: str) -> Any:
        return self.page.evaluate(expression)

    def wait(self, expression: str) -> None:
        """Waits until an expression is true in the page."""
        try:
            self.page.evaluate(WAIT % (expression, PATIENCE))
        except Exception as error:
            shown = self.page.inner_text("body")
            raise AssertionError(f"never: {expression}\n{error}\n{self.errors}\n{shown}") from error

    def held(self) -> int:
        """Waits until the run is held, and the page shows where it stands; the tick."""
        self.wait("morse.world.now.held")
        # The simulator's own clock: the message about the pause may come before its last ticks.
        seconds = self.value("morse.connection.call('time', 'now')")
        self.wait(f"Math.abs(morse.world.now.seconds - {seconds}) < 1e-6")
        return int(self.value("morse.world.now.tick"))

    def row(self, name: str) -> Any:
        """A row of the tree."""
        return self.page.locator("#tree .row", has=self.page.get_by_text(name, exact=True)).first

    def select_pose(self) -> None:
        """Selects the sensor, and waits until what it measures is there beside where it is: six numbers each."""
        self.row("pose").click()
        self.wait("document.querySelectorAll('#inspector .pick').length === 12")

    def shoot(self, name: str) -> None:
        """Leaves a picture in the folder MORSE_SHOTS, where there is one."""
        folder = os.environ.get("MORSE_SHOTS")
        if folder:
            os.makedirs(folder, exist_ok=True)
            # With the latest measurement, drawn.
            self.value("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
            self.page.screenshot(path=os.path.join(folder, f"{name}.png"))

    def folder(self) -> str:
        made = tempfile.mkdtemp(prefix="morse-page-")
        self.addCleanup(shutil.rmtree, made, ignore_errors=True)
        return made

    def run_alone(self, *arguments: str) -> None:
        """The same simulation without a page."""
        command = [str(program()), SCENE, *arguments]
        ran = subprocess.run(command, capture_output=True, text=True, check=False)
        self.assertEqual(ran.returncode, 0, ran.stderr)
