"""The page in a headless Chromium, driven by Playwright.

    MORSE_SIM=target/debug/morse-sim python3 -m unittest discover -s tests/browser

With MORSE_SHOTS=folder, pictures of the page are left there.
"""

import os
import pathlib
import re
import shutil
import socket
import subprocess
import tempfile
import time
import unittest

try:
    from playwright.sync_api import sync_playwright
except ImportError:
    sync_playwright = None

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
# Without a graphics card, and without asking anybody else anything.
ARGUMENTS = [
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--disable-background-networking",
    "--disable-component-update",
]
# A machine under load is slow; nothing takes so long otherwise.
PATIENCE = 60.0

WORLD = """Simulation(
    scene: "environments/boxes.robray",
    bodies: { "RedBox": (kind: dynamic, mass: 1) },
    robots: {
        "rover": (
            model: "robots/atrv.robray", base: dynamic, at: (translation: (0, 0, 0.1)),
            sensors: {
                "pose": (kind: "pose"),
                "scan": (kind: "laser_scanner", frequency: 10, mount: (translation: (0.45, 0, 0.5))),
            },
            actuators: { "motion": (kind: "v_omega", start: (v: 0.5, w: 0.2)) },
        ),
        "watch": (
            model: "robots/atrv.robray", at: (translation: (-5.5, 0, 0.1), rpy: (0, 0, 3.14159)),
            sensors: { "camera": (kind: "video_camera", width: 64, height: 48, fov: 1.2, frequency: 5, mount: (translation: (0, 0, 0.8))) },
        ),
    },
)"""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Program:
    """The simulator, with its page at a port."""

    def __init__(self, scene, port):
        command = [os.environ["MORSE_SIM"], str(scene), "--serve", str(port), "--rtf", "1"]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        said = []
        for line in self.process.stderr:
            said.append(line)
            if re.search(rf"http://\S+:{port}", line):
                return
        raise AssertionError("the program ended: " + "".join(said))

    def end(self):
        if self.process.poll() is None:
            self.process.terminate()
            self.process.communicate()


@unittest.skipUnless(sync_playwright, "playwright is not installed: the page was not tried in a browser")
@unittest.skipUnless(CHROMIUM, "no Chromium is installed: the page was not tried in a browser")
class PageTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.scene = pathlib.Path(cls.folder.name, "world.ron")
        cls.scene.write_text(WORLD)
        cls.playwright = sync_playwright().start()
        cls.addClassCleanup(cls.playwright.stop)
        cls.browser = cls.playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        cls.addClassCleanup(cls.browser.close)

    def setUp(self):
        self.port = free_port()
        self.program = self.start()

    def start(self):
        program = Program(self.scene, self.port)
        self.addCleanup(program.end)
        return program

    def open(self, width=1280, height=800, scheme="dark"):
        """A page that is live; what nobody else is asked and no exception is left is looked at in the end."""
        context = self.browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
        self.addCleanup(context.close)
        self.page = context.new_page()
        self.exceptions, self.asked = [], set()
        self.page.on("pageerror", lambda error: self.exceptions.append(str(error)))
        self.page.on("request", lambda request: self.asked.add(request.url.split("/")[2]))
        self.page.on("websocket", lambda socket: self.asked.add(socket.url.split("/")[2]))
        self.page.goto(f"http://localhost:{self.port}/")
        self.until("document.getElementById('connection').dataset.state === 'live'")
        self.until("globalThis.morse?.world.now.tick > 0")
        return self.page

    def value(self, expression):
        return self.page.evaluate(expression)

    def until(self, expression):
        """Waits until an expression is true. (Playwright's own way needs `eval`, which the page forbids.)"""
        end = time.monotonic() + PATIENCE
        while not self.value(expression):
            if time.monotonic() > end:
                words = self.value("document.body.innerText")
                self.fail(f"never: {expression}\n{self.exceptions}\n{words}")
            self.page.wait_for_timeout(50)

    def held_at(self):
        """The tick at which the run is held, once the page has seen all before it."""
        self.until("morse.world.now.held")
        tick = None
        while tick != (tick := self.value("morse.world.now.tick")):
            self.page.wait_for_timeout(1000)
        return tick

    def check_innocence(self):
        self.assertEqual(self.exceptions, [])
        self.assertEqual(self.asked, {f"localhost:{self.port}"}, "nobody else is asked")

    def check_width(self):
        self.assertLessEqual(self.value("document.documentElement.scrollWidth"), self.value("innerWidth"))

    def shot(self, name):
        if folder := os.environ.get("MORSE_SHOTS"):
            pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
            self.page.screenshot(path=str(pathlib.Path(folder, f"{name}.png")))

    def colors(self):
        """How many colours the view has, as it is seen."""
        return self.value("""new Promise((answer) => requestAnimationFrame(() => {
            const view = document.getElementById('view');
            const small = document.createElement('canvas');
            [small.width, small.height] = [64, 64];
            const pen = small.getContext('2d');
            view.dispatchEvent(new Event('keydown'));
            requestAnimationFrame(() => {
                pen.drawImage(view, 0, 0, 64, 64);
                answer(new Set(new Uint32Array(pen.getImageData(0, 0, 64, 64).data.buffer)).size);
            });
        }))""")

    def test_it_loads_and_moves(self):
        page = self.open()
        self.assertEqual(page.locator("#scene").inner_text(), "environments/boxes.robray")
        tree = page.locator("#tree").inner_text()
        for name in ("rover", "scan", "motion", "v_omega", "Movable bodies"):
            self.assertIn(name, tree)
        place = "morse.world.poseOf({ robot: 'rover' })"
        x, y = self.value(f"Array.from({place}.slice(0, 2))")
        self.until(f"Math.hypot({place}[0] - {x}, {place}[1] - {y}) > 0.3")
        end = time.monotonic() + PATIENCE
        while (count := self.colors()) <= 20:
            self.assertLess(time.monotonic(), end, f"the picture has {count} colours")
        self.until("morse.world.clouds.get('rover.scan')?.points.length > 10")
        self.shot("dark")
        self.check_innocence()

    def test_it_shows_data_plots_and_images(self):
        page = self.open(scheme="light")
        page.locator("#tree .row", has_text="pose").first.click()
        self.until("document.querySelectorAll('#inspector .pick').length === 12")
        before = self.value("morse.world.now.tick")
        number = page.locator("#inspector td.value").first.inner_text()
        self.until(f"document.querySelector('#inspector td.value').textContent !== '{number}'")
        self.assertGreater(self.value("morse.world.now.tick"), before)
        self.assertTrue(page.locator("#plot").is_hidden())
        pick = page.locator("#inspector .pick").first
        pick.click()
        self.until("!document.getElementById('plot').hidden && morse.world.plotted.length === 1")
        name = "`component:rover.pose ${morse.world.plotted[0].name}`"
        self.until(f"morse.world.series.get({name})?.times.length > 20")
        self.assertEqual(pick.get_attribute("aria-pressed"), "true")
        # The line has been drawn in its colour.
        drawn = """(() => {
            const canvas = document.querySelector('#plot canvas');
            const pixels = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
            const [red, green, blue] = morse.world.plotted[0].color.match(/[0-9a-f]{2}/g).map((part) => parseInt(part, 16));
            let count = 0;
            for (let at = 0; at < pixels.length; at += 4)
                count += pixels[at + 3] > 200 && Math.abs(pixels[at] - red) + Math.abs(pixels[at + 1] - green) + Math.abs(pixels[at + 2] - blue) < 30;
            return count;
        })()"""
        self.until(f"{drawn} > 40")
        # What the camera sees: the red box in the middle, and something else beside it.
        self.value("morse.select({ component: 'watch.camera' })")
        image = "document.querySelector('#inspector canvas.image')"
        self.until(f"{image}?.width === 64")
        pixel = f"(x) => {image}.getContext('2d').getImageData(x, 24, 1, 1).data"
        red = f"((pixel) => pixel(32)[0] > 2 * pixel(32)[1] && pixel(2)[0] < 1.5 * pixel(2)[1])({pixel})"
        self.until(red)
        self.shot("plot_and_image")
        page.get_by_text("Clear").click()
        self.until("document.getElementById('plot').hidden")
        self.check_innocence()

    def test_it_holds_steps_resets_and_changes_speed(self):
        page = self.open()
        tick = "morse.world.now.tick"
        page.get_by_label("Pause", exact=True).click()
        held = self.held_at()
        self.assertEqual(page.locator("#play").get_attribute("aria-label"), "Go on")
        page.get_by_label("Step").click()
        self.until(f"{tick} === {held} + 1")
        page.get_by_label("Reset").click()
        self.until(f"{tick} === 0")
        self.until("Math.abs(morse.world.poseOf({ robot: 'rover' })[0]) < 0.001")
        self.assertEqual(self.value("morse.world.trails.get('rover')?.length ?? 0"), 1)
        page.get_by_label("Go on").click()
        self.until(f"!morse.world.now.held && {tick} > 5")
        page.locator("#speed").select_option("0.5")
        self.until("morse.world.now.factor === 0.5")
        self.check_innocence()

    def test_it_hears_the_keyboard(self):
        page = self.open()
        keyboard, tick = page.keyboard, "morse.world.now.tick"
        keyboard.press("Space")
        held = self.held_at()
        keyboard.press(".")
        self.until(f"{tick} === {held} + 1")
        keyboard.press("Shift+R")
        self.until(f"{tick} === 0")
        keyboard.press("Space")
        self.until(f"!morse.world.now.held && {tick} > 5")
        keyboard.press("]")
        self.until("morse.world.now.factor === 2")
        keyboard.press("t")
        self.assertTrue(self.value("morse.controls.layers.trails"))
        keyboard.press("/")
        keyboard.type("sc")
        rows = "[...document.querySelectorAll('#tree .row .text')].map((row) => row.textContent).join()"
        self.until(f"{rows} === 'rover,scan'")
        # From the search into the tree, and what is chosen there is shown.
        keyboard.press("Enter")
        keyboard.press("ArrowDown")
        keyboard.press("Enter")
        self.until("morse.world.selected?.component === 'rover.scan'")
        self.value("document.activeElement.blur()")
        reached = set()
        for _ in range(40):
            keyboard.press("Tab")
            reached.add(self.value("document.activeElement.id"))
        wanted = {"play", "step", "reset", "speed", "theme", "help", "search", "tree", "view"}
        self.assertLessEqual(wanted, reached, "Tab goes everywhere")
        self.value("document.activeElement.blur()")
        keyboard.press("Shift+?")
        self.assertTrue(self.value("document.getElementById('keys').open"))
        self.shot("keys")
        keyboard.press("Escape")
        self.assertFalse(self.value("document.getElementById('keys').open"))
        self.check_innocence()

    def test_it_is_dark_or_light(self):
        theme = "document.documentElement.dataset.theme"
        grounds = []
        for scheme in ("dark", "light"):
            page = self.open(scheme=scheme)
            self.assertEqual(self.value(theme), scheme)
            grounds.append(self.value("getComputedStyle(document.body).backgroundColor"))
        self.assertNotEqual(*grounds)
        self.shot("light")
        page.keyboard.press("d")
        self.assertEqual(self.value(theme), "dark")
        page.reload()
        self.until(f"{theme} === 'dark'")

    def test_it_comes_back_when_the_simulator_does(self):
        page = self.open()
        self.program.end()
        self.until("document.getElementById('connection').dataset.state === 'lost'")
        self.assertTrue(page.locator("#play").is_disabled())
        self.start()
        self.until("document.getElementById('connection').dataset.state === 'live'")
        self.until("morse.world.now.tick > 0 && !morse.world.now.held")
        self.check_innocence()

    def test_narrow_pages_cut_nothing_off(self):
        for width in (400, 800):
            page = self.open(width, 700, "light")
            self.value("morse.select({ component: 'rover.pose' })")
            self.until("document.querySelectorAll('#inspector .pick').length === 12")
            page.locator("#inspector .pick").first.click()
            self.until("!document.getElementById('plot').hidden")
            self.check_width()
            for name in ("play", "step", "reset", "speed", "theme", "help"):
                box = page.locator(f"#{name}").bounding_box()
                self.assertTrue(box["x"] >= 0 and box["x"] + box["width"] <= width, f"{name} at {width}: {box}")
            self.shot(f"narrow_{width}")
            self.check_innocence()


if __name__ == "__main__":
    unittest.main()
