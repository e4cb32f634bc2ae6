"""The package in the programs around it: pytest with workers, notebooks, and long runs."""
from __future__ import annotations

import base64
import importlib.util
import os
import subprocess
import sys
from typing import Any, List

from . import ROOT
from .native import REPOSITORY, needs_native, site
from .require import needs
from .support import Room, execute, needs_program, program
from .test_simulation import ROVER

#: Long run with all calls, which prints the memory of the process.
LONG = os.path.join(ROOT, "tests", "long_run.py")

WORKERS = """
import os

import morse_sim as ms
import pytest


@pytest.mark.parametrize("seed", [3, 3, 3, 3, 4, 4, 4, 4])
def test_hash(seed):
    simulation = ms.Simulation({scene!r}, seed=seed)
    simulation.step(60)
    with open({log!r}, "a") as log:
        log.write(f"{{os.environ['PYTEST_XDIST_WORKER']}} {{seed}} {{simulation.state_hash}}\\n")
"""

NOTEBOOK = """
import morse_sim as ms
simulation = ms.Simulation({scene!r}, seed=3, page=True)
simulation.step(60)
simulation
---
simulation.page(300)
---
import urllib.request
print(b"<html" in urllib.request.urlopen(simulation.page.url).read().lower(), simulation.state_hash)
"""

@needs_native
class Around(Room):
    def setUp(self) -> None:
        super().setUp()
        self.environment = {**os.environ, "PYTHONPATH": site(self.folder), "PYTHONDONTWRITEBYTECODE": "1"}

    def run_python(self, *arguments: str, **more: str) -> "subprocess.CompletedProcess[str]":
        environment = {**self.environment, **more}
        ran = execute(
            [sys.executable, *arguments], cwd=self.folder, env=environment, timeout=500,
        )
        self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)
        return ran

    @needs("python", importlib.util.find_spec("xdist"), "there is no pytest-xdist: tests in several workers")
    def test_workers_of_pytest_agree(self) -> None:
        import morse_sim as ms

        scene = os.path.join(REPOSITORY, "scenes", "patrol.ron")
        self.write("test_hash.py", WORKERS.format(scene=scene, log=self.path("log")))
        self.run_python("-m", "pytest", "-q", "-p", "no:cacheprovider", "-n", "2", "test_hash.py")
        rows = [line.split() for line in self.read("log").splitlines()]
        self.assertEqual(len(rows), 8)
        self.assertEqual({row[0] for row in rows}, {"gw0", "gw1"})
        for seed in (3, 4):
            simulation = ms.Simulation(scene, seed=seed)
            simulation.step(60)
            self.assertEqual({row[2] for row in rows if row[1] == str(seed)}, {simulation.state_hash})

    @needs(
        "python", importlib.util.find_spec("nbconvert") and importlib.util.find_spec("ipykernel"), "there is no nbconvert: notebooks"
    )
    def test_a_notebook_shows_image_and_page(self) -> None:
        import nbformat

        scene = os.path.join(REPOSITORY, "scenes", "patrol.ron")
        cells = [nbformat.v4.new_code_cell(cell.strip()) for cell in NOTEBOOK.format(scene=scene).split("---")]
        kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
        nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata=kernel), self.path("drive.ipynb"))
        self.run_python(
            "-m", "nbconvert", "--to", "notebook", "--execute", "--output", "done.ipynb", "drive.ipynb", IPYTHONDIR=self.path("ipython"),
            JUPYTER_CONFIG_DIR=self.path("jupyter"), JUPYTER_PLATFORM_DIRS="1",
        )
        done: Any = nbformat.read(self.path("done.ipynb"), 4)
        image, page, text = (cell.outputs[0] for cell in done.cells)
        self.assertEqual(base64.b64decode(image.data["image/png"])[:8], b"\x89PNG\r\n\x1a\n")
        self.assertRegex(page.data["text/html"], r'<iframe src="http://127\.0\.0\.1:\d+/" .*height="300"')
        import morse_sim as ms

        simulation = ms.Simulation(scene, seed=3)
        simulation.step(60)
        # The page does not change the run.
        self.assertEqual(text.text, f"True {simulation.state_hash}\n")
        with self.assertRaisesRegex(ms.AccessError, "page=True"):
            simulation.page
        self.run_python("-m", "nbconvert", "--to", "html", "done.ipynb", JUPYTER_PLATFORM_DIRS="1")
        self.assertIn("data:image/png;base64", self.read("done.html"))

    @needs("python", os.path.isfile("/proc/self/statm"), "the memory of a process is only known on Linux")
    def test_a_long_run_leaks_nothing(self) -> None:
        """A short form of `tests/long_run.py`."""
        scene = os.path.join(REPOSITORY, "scenes", "patrol.ron")
        memories: List[int] = [int(each) for each in self.run_python(LONG, scene, "5000").stdout.split()]
        self.assertEqual(memories[0], 5000)
        # The first part still fills caches.
        self.assertLess(memories[5] - memories[2], 8 << 20, memories)

    @needs_program
    def test_films_are_those_of_the_program(self) -> None:
        import morse_sim as ms

        file = self.write("rover.ron", ROVER)
        execute(
            [str(program()), file, "--until", "1s", "--video", "program.gif", "--size", "160x90", "--follow", "rover"],
            cwd=self.folder,
        )
        simulation = ms.Simulation(file)
        with simulation.film(self.path("python.gif"), size=(160, 90), follow="rover"), simulation.film(
            self.path("eye.gif"), camera="rover.eye"
        ) as eye:
            simulation.run(1.0)
            eye.close()
            eye.close()
        with open(self.path("program.gif"), "rb") as one, open(self.path("python.gif"), "rb") as other:
            data = one.read()
            self.assertTrue(data[:6] == b"GIF89a" and len(data) > 2000)
            self.assertEqual(data, other.read())
        self.assertGreater(os.path.getsize(self.path("eye.gif")), 300)
        for wrong, why in (
            ({"path": self.path("a.avi")}, "`.gif` or `.mp4`"),
            ({"path": self.path("a.gif"), "camera": "rover.pose"}, "no.* colour camera"),
            ({"path": self.path("a.gif"), "follow": "rovr"}, "did you mean `rover`"),
            ({"path": self.path("no/a.gif")}, "cannot be written"),
            ({"path": self.path("a.gif"), "size": (0, 4)}, "from 1 to"),
        ):
            with self.subTest(why), self.assertRaisesRegex((ms.MorseError, ValueError), why):
                simulation.film(**wrong)
