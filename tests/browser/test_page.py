"""The page in a browser: what it shows, what it does, how it looks."""
from __future__ import annotations

import base64
import csv
import os
import unittest

from support import SCENE, PageTest, Served

CLOCK = "morse.world.now.tick"
POSE = "morse.world.poseOf({ robot: 'rover' })"
FOCUS = "document.activeElement.id || document.activeElement.textContent.trim()"
# Number of colours in the picture, once it is drawn.
COLORS = """new Promise((answer) => {
    const view = document.getElementById('view');
    const small = document.createElement('canvas');
    [small.width, small.height] = [64, 64];
    const pen = small.getContext('2d', { willReadFrequently: true });
    const look = (left) => requestAnimationFrame(() => {
        pen.drawImage(view, 0, 0, 64, 64);
        const pixels = new Uint32Array(pen.getImageData(0, 0, 64, 64).data.buffer);
        const colors = new Set(pixels).size;
        if (colors > 20 || left === 0) return answer(colors);
        view.dispatchEvent(new Event('keydown'));
        look(left - 1);
    });
    look(400);
})"""
# The pixels of the camera's image, as the page shows them.
SHOWN = """(() => {
    const image = document.querySelector('#inspector canvas.image');
    return Array.from(image.getContext('2d').getImageData(0, 0, image.width, image.height).data);
})()"""
# The pixels of a PNG file.
DECODED = """async (text) => {
    const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    const image = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [image.width, image.height];
    canvas.getContext('2d').drawImage(image, 0, 0);
    return Array.from(canvas.getContext('2d').getImageData(0, 0, image.width, image.height).data);
}"""
FITS = "document.documentElement.scrollWidth <= innerWidth"
# Controls that extend beyond the window sideways, or are covered by others.
HIDDEN = """[...document.querySelectorAll('header button, header select, #layers button, .end span')].filter((one) => {
    if (one.hidden) return false;
    const box = one.getBoundingClientRect();
    const met = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
    return box.left < 0 || box.right > innerWidth || !(one.contains(met) || met?.contains(one));
}).map((one) => one.id || one.textContent)"""


class Shows(PageTest):
    def test_it_loads_and_the_robot_moves(self) -> None:
        page = self.open(800, 500)
        self.assertEqual(page.text_content("#scene"), "environments/boxes.robray")
        tree = page.inner_text("#tree")
        for name in ("rover", "scan", "motion", "v_omega", "Movable bodies"):
            self.assertIn(name, tree)
        x, y = self.value(f"Array.from({POSE}.slice(0, 2))")
        self.wait(f"Math.hypot({POSE}[0] - {x}, {POSE}[1] - {y}) > 0.3")
        self.assertGreater(self.value(COLORS), 20)
        self.wait("morse.world.clouds.get('rover.scan')?.points.length > 10")

    def test_components_show_their_data_as_they_come(self) -> None:
        page = self.open()
        self.select_pose()
        self.assertEqual(self.row("pose").get_attribute("aria-selected"), "true")
        shown = "document.querySelector('#inspector td.value').textContent"
        self.wait(f"{shown} !== '{self.value(shown)}'")
        page.click("#play")
        tick = self.held()
        # The same run without a page gives the expected last measurement.
        folder = self.folder()
        self.run_alone("--steps", str(tick), "--output", f"csv:{folder}")
        with open(os.path.join(folder, "rover.pose.csv"), encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file, delimiter=";"))
        self.assertEqual(len(rows), tick)
        last = ",".join(f"{float(rows[-1][name]):.4f}".replace("-", "−") for name in ("x", "y", "z"))
        all_shown = "[...document.querySelectorAll('#inspector td.value')].map((one) => one.textContent)"
        self.wait(f"{all_shown}.slice(0, 3).join() === '{last}'")

    def test_a_number_is_plotted(self) -> None:
        page = self.open()
        self.select_pose()
        pick = page.locator("#inspector .pick").first
        pick.click()
        self.wait("!document.getElementById('plot').hidden && morse.world.plotted.length === 1")
        series = "morse.world.series.get(`component:rover.pose ${morse.world.plotted[0].name}`)"
        self.wait(f"{series}?.times.length > 15")
        # It is drawn a frame later.
        self.wait("document.querySelector('#inspector .pick').getAttribute('aria-pressed') === 'true'")
        # The unit is at the axis, the newest value at the name.
        self.assertEqual(page.inner_text("#plot .scale span"), "m")
        self.wait("/rover.pose x\\s*[0-9.]+$/.test(document.querySelector('#plot .legend').innerText)")
        drawn = "document.querySelector('#plot canvas').getContext('2d').getImageData(60, 0, 120, 80).data.some(Boolean)"
        self.wait(drawn)
        page.locator("#inspector .pick").nth(3).click()
        self.wait("document.querySelector('#plot .legend').innerText.includes('(rad)')")
        self.shoot("plot")
        page.get_by_role("button", name="Clear").click()
        self.wait("document.getElementById('plot').hidden")

    def test_the_image_is_the_cameras(self) -> None:
        page = self.open(color_scheme="light")
        self.row("camera").click()
        self.wait("document.querySelector('#inspector canvas.image')?.width === 64")
        self.wait(f"{SHOWN}.some((part) => part !== 0 && part !== 255)")
        shown = self.value(SHOWN)
        # Eight by six squares, eight pixels each.
        bright = [[shown[4 * ((8 * row + 4) * 64 + 8 * column + 4)] > 128 for column in range(8)] for row in range(6)]
        first = bright[0][0]
        self.assertEqual(bright, [[((row + column) % 2 == 0) == first for column in range(8)] for row in range(6)])
        file = os.path.join(self.folder(), "eye.png")
        self.run_alone("--until", "0.3s", "--screenshot", f"eye.camera:{file}")
        with open(file, "rb") as png:
            self.assertEqual(shown, page.evaluate(DECODED, base64.b64encode(png.read()).decode()))
        page.locator("#inspector .pick").first.click()
        self.wait("!document.getElementById('plot').hidden")
        self.shoot("camera")


class Acts(PageTest):
    def test_buttons_hold_step_and_reset(self) -> None:
        page = self.open()
        page.click("#play")
        held = self.held()
        self.wait("document.getElementById('play').getAttribute('aria-label') === 'Go on'")
        page.click("#step")
        self.wait(f"{CLOCK} === {held} + 1")
        self.wait(f"document.getElementById('tick').textContent === '{held + 1}'")
        page.select_option("#speed", "5")
        self.wait("morse.world.now.factor === 5")
        page.select_option("#speed", "Infinity")
        self.wait("morse.world.now.factor === Infinity")
        page.select_option("#speed", "1")
        self.wait("morse.world.now.factor === 1")
        page.click("#reset")
        self.wait(f"{CLOCK} === 0")
        self.wait(f"Math.abs({POSE}[0]) < 0.001")
        self.assertEqual(self.value("morse.world.trails.get('rover')?.length ?? 0"), 1)
        page.click("#play")
        self.wait(f"!morse.world.now.held && {CLOCK} > 5")

    def test_keys_do_the_same(self) -> None:
        keys = self.open().keyboard
        keys.press("Space")
        held = self.held()
        keys.press(".")
        self.wait(f"{CLOCK} === {held} + 1")
        keys.press("Shift+R")
        self.wait(f"{CLOCK} === 0")
        keys.press("Space")
        self.wait(f"!morse.world.now.held && {CLOCK} > 5")
        keys.press("]")
        self.wait("morse.world.now.factor === 2")
        self.wait("document.getElementById('speed').value === '2'")
        keys.press("[")
        self.wait("morse.world.now.factor === 1")
        keys.press("t")
        self.assertTrue(self.value("morse.controls.layers.trails"))
        keys.press("/")
        self.assertEqual(self.value(FOCUS), "search")
        keys.type("sc")
        rows = "[...document.querySelectorAll('#tree .row .text')].map((row) => row.textContent).join()"
        self.wait(f"{rows} === 'rover,scan'")
        keys.press("Escape")
        keys.press("?")
        self.assertTrue(self.value("document.getElementById('keys').open"))
        self.shoot("keys")
        keys.press("Escape")
        self.wait("!document.getElementById('keys').open")

    def test_tab_reaches_everything(self) -> None:
        page = self.open()
        self.select_pose()
        page.evaluate("document.activeElement.blur()")
        page.locator("#scene").click()
        reached = []
        for _ in range(29):
            page.keyboard.press("Tab")
            reached.append(self.value(FOCUS))
        wanted = ["play", "step", "reset", "speed", "theme", "help", "search", "tree", "view"]
        wanted += ["Grid", "Labels", "Scans", "Rays", "Trails", "Frames"]
        wanted += ["x", "y", "z", "yaw", "pitch", "roll"]
        self.assertEqual([name for name in reached if name in wanted][:21], wanted)
        # The focus is visible.
        page.locator("#step").focus()
        page.keyboard.press("Tab")
        outline = "getComputedStyle(document.activeElement).outlineStyle"
        self.assertEqual((self.value(FOCUS), self.value(outline)), ("reset", "solid"))
        # Space acts on the button with the focus, and arrows walk the tree.
        page.locator("#play").focus()
        page.keyboard.press("Space")
        self.wait("morse.world.now.held")
        page.locator("#tree").focus()
        page.keyboard.press("ArrowDown")
        self.wait("morse.world.selected.component === 'rover.scan'")
        distance = self.value("morse.camera.distance")
        page.locator("#view").focus()
        page.keyboard.press("+")
        self.assertLess(self.value("morse.camera.distance"), distance)

    def test_it_comes_back_with_the_simulation(self) -> None:
        page = self.open()
        self.served.end()
        self.wait("document.getElementById('connection').dataset.state === 'lost'")
        for name in ("play", "step", "reset", "speed"):
            self.assertTrue(page.is_disabled(f"#{name}"), name)
        again = Served(self, port=self.served.port)
        self.wait("document.getElementById('connection').dataset.state === 'live'")
        self.wait("morse.world.now.tick > 0 && !morse.world.now.held")
        self.assertTrue(page.is_enabled("#play"))
        again.end()
        # Another simulation at the same address is detected.
        other = os.path.join(self.folder(), "other.ron")
        with open(SCENE, encoding="utf-8") as old, open(other, "w", encoding="utf-8") as new:
            new.write(old.read().replace('"rover": (', '"wanderer": ('))
        Served(self, scene=other, port=self.served.port)
        self.wait("document.getElementById('tree').innerText.includes('wanderer')")
        self.assertNotIn("rover", page.inner_text("#tree"))
        self.wait("document.getElementById('connection').dataset.state === 'live' && morse.world.now.tick > 0")


    def test_it_shows_changed_files_and_their_mistakes(self) -> None:
        scene = os.path.join(self.folder(), "page.ron")
        with open(SCENE, encoding="utf-8") as old:
            text = old.read()

        def write(changed: str) -> None:
            with open(scene, "w", encoding="utf-8") as file:
                file.write(changed)

        write(text)
        self.served = Served(self, scene=scene, watch=True)
        page = self.open()
        self.select_pose()
        before = int(self.value(CLOCK))
        write(text.replace('"board": (', '"plank": ('))
        self.wait("document.getElementById('tree').innerText.includes('plank')")
        self.assertNotIn("board", page.inner_text("#tree"))
        # Time continues on the same connection, and the selected sensor is still shown.
        self.wait(f"{CLOCK} > {before} + 60")
        self.wait("document.querySelectorAll('#inspector .pick').length === 12")
        self.assertEqual(len([address for address in self.asked if address.startswith("ws:")]), 1)
        write(text.replace("base: fixed", "bass: fixed"))
        self.wait("document.body.innerText.includes('cannot be loaded')")
        after = int(self.value(CLOCK))
        self.wait(f"{CLOCK} > {after} + 30")


class Looks(PageTest):
    def test_dark_and_light(self) -> None:
        sums = {}
        for scheme in ("dark", "light"):
            page = self.open(color_scheme=scheme)
            self.assertEqual(self.value("document.documentElement.dataset.theme"), scheme)
            ground = self.value("getComputedStyle(document.body).backgroundColor")
            sums[scheme] = sum(int(channel) for channel in ground[4:-1].split(","))
            self.assertGreater(self.value(COLORS), 20)
            self.wait("morse.world.clouds.get('rover.scan')?.points.length > 10")
            self.shoot(scheme)
            page.context.close()
        self.assertLess(sums["dark"], 3 * 64)
        self.assertGreater(sums["light"], 3 * 192)
        page = self.open(color_scheme="light")
        page.keyboard.press("d")
        self.assertEqual(self.value("document.documentElement.dataset.theme"), "dark")
        # A choice is stored, and overrides the system's preference.
        page.reload()
        self.wait("document.documentElement.dataset.theme === 'dark'")
        page.click("#theme")
        self.assertEqual(self.value("document.documentElement.dataset.theme"), "light")

    def test_a_narrow_page_shows_all(self) -> None:
        page = self.open(400, 700)
        self.assertTrue(self.value(FITS))
        self.assertEqual(self.value(HIDDEN), [])
        self.shoot("narrow")
        self.row("camera").click()
        self.wait("document.querySelector('#inspector canvas.image')?.width === 64")
        page.locator("#inspector .pick").first.click()
        self.wait("!document.getElementById('plot').hidden")
        self.assertTrue(self.value(FITS))
        page.locator("#plot canvas").scroll_into_view_if_needed()
        self.shoot("narrow_plot")
        # Everything below can be scrolled to, and the view stays.
        image = page.locator("#inspector canvas.image")
        image.evaluate("(one) => one.scrollIntoView({ block: 'center' })")
        self.wait("""(() => {
            const box = document.querySelector('#inspector canvas.image').getBoundingClientRect();
            const view = document.getElementById('view').getBoundingClientRect();
            return view.top >= 0 && view.height > 150 && box.bottom <= innerHeight + 1 && box.top >= view.bottom;
        })()""")
        self.shoot("narrow_camera")
        page.click("#help")
        self.assertTrue(self.value(FITS))
        box = page.locator("#keys").bounding_box()
        self.assertTrue(box["x"] >= 0 and box["x"] + box["width"] <= 400, box)

    def test_a_low_window_keeps_data_beside_the_plot(self) -> None:
        page = self.open(800, 500)
        self.select_pose()
        for number in (0, 1, 2):
            page.locator("#inspector .pick").nth(number).click()
        self.wait("morse.world.plotted.length === 3 && document.getElementById('plot').clientHeight > 0")
        self.assertTrue(self.value(FITS))
        self.assertEqual(self.value(HIDDEN), [])
        self.assertGreater(self.value("document.getElementById('inspector').clientHeight"), 120)
        bottom = self.value("document.querySelector('#plot canvas').getBoundingClientRect().bottom")
        self.assertLessEqual(bottom, 500)
        self.shoot("low")


if __name__ == "__main__":
    unittest.main()
