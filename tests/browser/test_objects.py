"""The objects of a dog in a browser: their links as they change, and lights on its body."""
from __future__ import annotations

import json
import os
import unittest

from support import HERE, PageTest, Served

DOG = os.path.join(HERE, "..", "..", "scenes", "aibo.ron")
BOXES = "[...document.querySelectorAll('#objects .box')]"
NAMES = f"{BOXES}.map((box) => box.querySelector('text').textContent)"
# Mean of red, green and blue in the picture of the view, drawn with the lamps of the dog on or off.
LIGHT = """new Promise((answer) => {
    const { world } = morse;
    const view = document.getElementById('view');
    world.lamps.forEach((lamp) => (lamp.shine = %s));
    const small = document.createElement('canvas');
    [small.width, small.height] = [view.width, view.height];
    const pen = small.getContext('2d', { willReadFrequently: true });
    let [last, same] = [-1, 0];
    const look = () => requestAnimationFrame(() => {
        pen.drawImage(view, 0, 0);
        const { data } = pen.getImageData(0, 0, view.width, view.height);
        const sum = data.reduce((all, part, index) => all + (index %% 4 < 3 ? part : 0), 0);
        same = sum === last && sum > 0 ? same + 1 : 0;
        last = sum;
        if (same > 3) return answer(sum);
        view.dispatchEvent(new Event('keydown'));
        look();
    });
    look();
})"""

# Links of which a point lies on a box, in the coordinates of the picture.
COVERED = """(() => {
    const boxes = [...document.querySelectorAll('#objects .box')].map((box) => {
        const { e, f } = box.transform.baseVal[0].matrix;
        const { width, height } = box.querySelector('rect').getBBox();
        return { x: e, y: f, width, height };
    });
    const covers = ({ x, y, width, height }, at) => at.x > x + 1 && at.x < x + width - 1 && at.y > y + 1 && at.y < y + height - 1;
    const covered = (link) => {
        const length = link.getTotalLength();
        return [...Array(400).keys()].some((part) => {
            const at = link.getPointAtLength((part / 399) * length);
            return at.y < 0 || boxes.some((box) => covers(box, at));
        });
    };
    const links = [...document.querySelectorAll('#objects .link')];
    return links.filter(covered).map((link) => link.textContent.split('\\n')[0]);
})()"""


class Objects(PageTest):
    def serve(self) -> Served:
        folder = json.dumps(self.folder())
        return Served(self, scene=DOG, settings=[f"middlewares.log.directory={folder}"])

    def test_objects_and_links_change_as_they_run(self) -> None:
        page = self.open()
        self.assertTrue(page.locator("#objects").is_hidden())
        page.keyboard.press("o")
        self.wait(f"{BOXES}.length > 5")
        names = self.value(NAMES)
        for name in ("Trainer", "Walk", "Head", "Blink", "OVirtualRobotComm", "27 actuators"):
            self.assertIn(name, names)
        # Columns go from sensors to actuators.
        column = "({})[{}.indexOf('{}')].getBoundingClientRect().x"
        columns = [self.value(column.format(BOXES, NAMES, name)) for name in ("Trainer", "Walk", "27 actuators")]
        self.assertEqual(columns, sorted(columns))
        self.wait("document.querySelector('#objects .link.ready') && document.querySelector('#objects .link.sends')")
        # A link's title has its ends and counters, and they increase.
        link = "[...document.querySelectorAll('#objects .link title')].find((one) => one.textContent.startsWith('Walk.Move'))"
        delivered = f"Number(/delivered (\\d+)/.exec({link}.textContent)[1])"
        before = self.value(delivered)
        self.wait(f"{delivered} > {before} + 5")
        self.shoot("objects")
        # No link passes under a box, also if all actuators have a box of their own.
        self.assertEqual(self.value(COVERED), [])
        # A group is opened, and a component selected.
        page.locator("#objects .box", has_text="27 actuators").click()
        self.wait(f"{NAMES}.includes('aibo.la')")
        self.assertEqual(self.value(COVERED), [])
        page.locator("#objects .box", has_text="aibo.la").click()
        self.wait("morse.world.selected?.component === 'aibo.la'")
        page.keyboard.press("o")
        self.assertTrue(page.locator("#objects").is_hidden())
        self.value("morse.connection.call('simulation', 'reset')")
        page.keyboard.press("o")
        self.wait(f"document.querySelector('#objects .link.sends') && {delivered} < {before}")

    def test_lights_shine_on_the_body(self) -> None:
        page = self.open()
        # Intensities between dark and bright pass over the face.
        self.wait("new Set(morse.world.lamps.map(({ shine }) => shine)).size >= 4")
        page.click("#play")
        self.held()
        page.locator("#tree .row", has_text="aibo").first.click()
        page.keyboard.press("f")
        for _ in range(9):
            page.locator("#view").press("+")
        dark, bright = self.value(LIGHT % "0"), self.value(LIGHT % "1")
        self.assertGreater(bright, dark + 20_000)


if __name__ == "__main__":
    unittest.main()
