"""Simulations in process.

    import morse_sim as ms

    simulation = ms.Simulation("scenes/patrol.ron", seed=3)
    simulation.step(60)
    ranges = simulation["rover.scan"].data.range_list
"""
from __future__ import annotations

import json
import math
import os
import struct
import zlib
from typing import Any, Dict, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

import numpy
import numpy.typing

from . import _native
from .errors import AccessError, ClosedError
from .mechanism import Mechanism

Path = Union[str, "os.PathLike[str]"]
Array = numpy.typing.NDArray[Any]
_TYPES = {"f64": numpy.float64, "f32": numpy.float32, "u8": numpy.uint8, "u16": numpy.uint16}
_LARGEST_IMAGE = 8192


class Field(NamedTuple):
    """A field of a sensor's data or of an actuator's command."""

    name: str
    unit: Optional[str]
    docs: Optional[str]
    #: Type in the simulator, such as `f64`.
    type: str
    #: Least number of a command.
    low: float
    #: Greatest number of a command.
    high: float


class Data(Mapping[str, Any]):
    """Data of a sensor: fields as attributes and as entries. Arrays are arrays of numpy, which may not be written to.

    An array is a copy that was made once, when the data were read: later ticks do not change it."""

    _fields: Dict[str, Any]

    def __init__(self, fields: Dict[str, Any]):
        object.__setattr__(self, "_fields", fields)

    def __getitem__(self, name: str) -> Any:
        try:
            return self._fields[name]
        except (KeyError, TypeError):
            raise AccessError(f"there is no field `{name}`; there are: {', '.join(self._fields)}") from None

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        try:
            return self._fields[name]
        except KeyError:
            raise AttributeError(f"there is no field `{name}`; there are: {', '.join(self._fields)}") from None

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError("data of a sensor cannot be changed")

    def __contains__(self, name: object) -> bool:
        return name in self._fields

    def __iter__(self) -> Iterator[str]:
        return iter(self._fields)

    def __len__(self) -> int:
        return len(self._fields)

    def __dir__(self) -> List[str]:
        return [*super().__dir__(), *self._fields]

    def __repr__(self) -> str:
        return f"Data({', '.join(f'{name}={value!r}' for name, value in self._fields.items())})"

    def as_dict(self) -> Dict[str, Any]:
        """The fields by name."""
        return dict(self._fields)


class Component:
    """A sensor, an actuator, or another part of a simulation."""

    def __init__(self, simulation: "Simulation", path: str):
        self._simulation = simulation
        described = simulation._described.get(path)
        if described is None:
            described = simulation._described[path] = simulation._core.describe(path)
        self._about = described
        #: Dotted path, such as `rover.scan`.
        self.path = path

    @property
    def kind(self) -> str:
        """Name of the kind, such as `laser_scanner`; empty for a frame or body."""
        return str(self._about["kind"])

    @property
    def family(self) -> str:
        """`sensor`, `actuator`, or `part`."""
        return str(self._about["family"])

    @property
    def fields(self) -> Dict[str, Field]:
        """Fields of the data or command, with units, documentation and limits."""
        return {field[0]: Field(*field) for field in self._about["fields"]}

    @property
    def data(self) -> Data:
        """The last exported data of a sensor, with the time of the measurement (s) as `timestamp`."""
        fields = self._simulation._core.read(self.path)
        return Data({name: _value(value, fields) for name, value in fields.items()})

    @property
    def image(self) -> Array:
        """The last image of a camera: rows, columns, and red, green and blue."""
        image = self.data.get("image")
        if not isinstance(image, numpy.ndarray) or image.ndim != 3 or image.shape[2] < 3:
            raise AccessError(f"`{self.path}` is no camera with colours")
        return image[:, :, :3]

    def command(self, **fields: Any) -> None:
        """Sends a command to an actuator; it takes effect in the next tick. Fields that are left out keep their values."""
        self._simulation._core.command(self.path, _json(fields))

    def call(self, service: str, *arguments: Any, timeout: float = 60.0) -> Any:
        """Calls a service and returns its result. While it is under way, the simulation is stepped, for at most `timeout`
        simulated seconds."""
        simulation = self._simulation
        ticks = simulation._ticks(timeout)
        return json.loads(simulation._core.call(self.path, service, _json(list(arguments)), ticks))

    def __repr__(self) -> str:
        return f"<{self.family} `{self.path}`{f' of kind `{self.kind}`' if self.kind else ''}>"


class Page:
    """Address of a page, which notebooks show inline."""

    def __init__(self, url: str, height: int = 480):
        #: Address on this machine.
        self.url = url
        #: Rows of pixels in a notebook.
        self.height = height

    def __call__(self, height: int) -> "Page":
        """The same page with another height in a notebook."""
        return Page(self.url, height)

    def _repr_html_(self) -> str:
        """The page inline, for Jupyter."""
        return f'<iframe src="{self.url}" width="100%" height="{int(self.height)}" style="border: 0"></iframe>'

    def __repr__(self) -> str:
        return f"<Page at {self.url}>"


class Film:
    """A film that is being recorded."""

    def __init__(self, core: "_native.Core", number: int):
        self._core, self._number = core, number

    def close(self) -> None:
        """Completes the file."""
        self._core.end_film(self._number)

    def __enter__(self) -> "Film":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Snapshot:
    """All state of a simulation at one tick."""

    def __init__(self, state: "_native.State"):
        self._state = state

    @property
    def tick(self) -> int:
        """Number of ticks before it."""
        return self._state.tick


class Simulation:
    """A simulated world. It runs in the thread that calls it. Calls of several threads are served one after the other; other
    threads of Python run while a call is under way. Equal files, seed and commands give equal bits.

    `path` is a scene (`.robray`) or a simulation file (`.ron`), or `text` is the text of a simulation file, whose files are
    searched in `directory`. `set` replaces values of the file, as `--set` of the program does. Only with `outputs=True`
    the logs are written and the ports are opened that the file names. With `page=True` the page of the program is served at a free
    port of this machine, see `page`."""

    def __init__(
        self,
        path: Optional[Path] = None,
        *,
        text: Optional[str] = None,
        directory: Path = ".",
        seed: Optional[int] = None,
        set: Sequence[str] = (),
        threads: int = 1,
        outputs: bool = False,
        page: bool = False,
    ):
        if (path is None) == (text is None):
            raise TypeError("expected a path or the text of a simulation file")
        if isinstance(set, str):
            raise TypeError("`set` is a list of texts, such as [\"environment.rate=100\"]")
        self._source: _native.Source = {
            "path": path, "text": text, "directory": directory, "seed": seed, "set": list(set), "threads": threads,
            "outputs": outputs, "page": page,
        }
        self._running: Optional[_native.Core] = _native.Core(self._source)
        #: Descriptions of components, by path.
        self._described: Dict[str, Dict[str, Any]] = {}

    @property
    def _core(self) -> "_native.Core":
        if self._running is None:
            raise ClosedError("the simulation is closed")
        return self._running

    def _ticks(self, seconds: float) -> int:
        if not math.isfinite(seconds) or seconds < 0:
            raise ValueError(f"expected a number of seconds, found {seconds}")
        return round(seconds * self.rate)

    def step(self, ticks: int = 1) -> None:
        """Advances by some ticks. Ctrl-C ends it after a tick, with a `KeyboardInterrupt`."""
        self._core.step(ticks)

    def run(self, seconds: float) -> None:
        """Advances by some simulated seconds."""
        self.step(self._ticks(seconds))

    def run_until(self, expression: str, timeout: float = 60.0) -> bool:
        """Advances until an expression of scenarios is true, such as `distance(rover.pose, (4, 0, 0)) < 0.6`, for at most
        `timeout` simulated seconds. Returns whether it is. It is evaluated after each tick, and before the first one."""
        return self._core.step_until(expression, self._ticks(timeout))

    @property
    def tick(self) -> int:
        """Number of ticks so far."""
        return self._core.clock()[0]

    @property
    def time(self) -> float:
        """Simulated time, s."""
        return self._core.clock()[1]

    @property
    def rate(self) -> float:
        """Ticks per second."""
        return self._core.clock()[2]

    @property
    def state_hash(self) -> str:
        """Hash of all state, as the program prints it: two simulations with equal hashes are equal to the bit."""
        return self._core.state_hash()

    @property
    def components(self) -> List[str]:
        """Paths of all bodies, joints, sensors, actuators and overlays, sorted."""
        return self._core.paths()

    @property
    def seed(self) -> Optional[int]:
        """Seed that replaces that of the file."""
        return self._source["seed"]

    def __getitem__(self, path: str) -> Component:
        return Component(self, path)

    def __contains__(self, path: object) -> bool:
        return path in self._core.paths()

    def __iter__(self) -> Iterator[str]:
        return iter(self._core.paths())

    def call(self, service: str, *arguments: Any, timeout: float = 60.0) -> Any:
        """Calls a service of the simulation itself."""
        return json.loads(self._core.call("simulation", service, _json(list(arguments)), self._ticks(timeout)))

    def mechanism(self, name: str) -> Mechanism:
        """Joints of a robot, or of a body with joints, in their present state: kinematics and dynamics for controllers."""
        return Mechanism(self._core.mechanism(name))

    def spawn(self, name: str, definition: str, files: Optional[Mapping[str, str]] = None) -> List[str]:
        """Adds a robot in the form of the entries of `robots` in a simulation file, which must have a `model`. Everything
        else continues. `files` are texts of files that the definition names, for example of a robot description. Returns
        warnings about probable mistakes.

            simulation.spawn("arm", '(model: "arm.urdf", at: (translation: (1, 0, 0)))', {"arm.urdf": description})
        """
        warnings = self._core.spawn(name, definition, dict(files or {}))
        self._described.clear()
        return [str(warning["message"]) for warning in json.loads(warnings)]

    def delete(self, name: str) -> None:
        """Removes a robot, or a body of the scene, with everything on it. Everything else continues."""
        self._core.delete(name)
        self._described.clear()

    def reset(self) -> None:
        """Returns to the start: the following ticks equal those of a new simulation, bit for bit."""
        self._core.reset()

    def snapshot(self) -> Snapshot:
        """All state, to return to, with the commands that the next tick would apply."""
        return Snapshot(self._core.snapshot())

    def restore(self, snapshot: Snapshot) -> None:
        """Returns to a snapshot of this simulation, or of another one of the same files."""
        if not isinstance(snapshot, Snapshot):
            raise TypeError(f"expected a snapshot, found {type(snapshot).__name__}")
        self._core.restore(snapshot._state)

    def fork(self) -> "Simulation":
        """Another simulation of the same files, in the same state. It writes no logs and opens no ports."""
        other = Simulation.__new__(Simulation)
        other._source = {**self._source, "outputs": False, "page": False}
        other._running = _native.Core(other._source)
        other._described = self._described
        other.restore(self.snapshot())
        return other

    def warnings(self) -> List[str]:
        """Warnings of components since the last call."""
        return self._core.warnings()[1]

    def render(self, width: int = 640, height: int = 360) -> Array:
        """An image of the whole scene: rows, columns, and red, green and blue."""
        for side in (width, height):
            if not 1 <= side <= _LARGEST_IMAGE:
                raise ValueError(f"expected from 1 to {_LARGEST_IMAGE} columns and rows, found {side}")
        pixels = numpy.frombuffer(self._core.render(width, height), numpy.uint8)
        return pixels.reshape(height, width, 4)[:, :, :3]

    def film(
        self, path: Path, *, camera: Optional[str] = None, size: Tuple[int, int] = (640, 360), follow: Optional[str] = None
    ) -> "Film":
        """Begins a film, as `--video` of the program does: each of the following ticks adds the frames that are due, until
        `close`. The file is a GIF, or an MP4, which requires the program ffmpeg. Without a `camera` of the simulation it shows the
        whole scene, or the robot or body to `follow`.

            with simulation.film("drive.gif"):
                simulation.run(5)
        """
        for side in size:
            if not 1 <= side <= _LARGEST_IMAGE:
                raise ValueError(f"expected from 1 to {_LARGEST_IMAGE} columns and rows, found {side}")
        return Film(self._core, self._core.begin_film(path, camera, (size[0], size[1]), follow))

    @property
    def page(self) -> "Page":
        """The page with the scene, images and commands of a simulation that was made with `page=True`: inline in a notebook, and
        at `page.url` in a browser. It shows the states between the calls that step the simulation, and while they are under way."""
        for name, _purpose, port in self._core.ports():
            if name == "--serve":
                return Page(f"http://127.0.0.1:{port}/")
        raise AccessError("the simulation has no page: make it with `page=True`")

    @property
    def drawn(self) -> Dict[str, str]:
        """Values that were drawn from ranges of the simulation file, such as `mass: between(10, 20)`, by path; with the option
        `set` they make the same simulation again."""
        return dict(self._core.drawn())

    def _repr_png_(self) -> bytes:
        """An image for Jupyter."""
        return png(self.render())

    def __repr__(self) -> str:
        if self._running is None:
            return "<Simulation, closed>"
        tick, seconds, _rate = self._running.clock()
        return f"<Simulation of {self._source['path'] or 'a text'} after {tick} ticks, {seconds:.3f} s>"

    def close(self) -> None:
        """Ends the simulation."""
        self._running = None

    def __enter__(self) -> "Simulation":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def png(image: Array) -> bytes:
    """An image (rows, columns, and red, green and blue) as a PNG file."""
    if image.ndim != 3 or image.shape[2] != 3 or image.dtype != numpy.uint8:
        raise ValueError("expected an array of bytes: rows, columns, and red, green and blue")
    height, width, _ = image.shape
    rows = numpy.concatenate([numpy.zeros((height, 1), numpy.uint8), image.reshape(height, 3 * width)], axis=1)

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = chunk(b"IHDR", struct.pack(">2I5B", width, height, 8, 2, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + head + chunk(b"IDAT", zlib.compress(rows.tobytes())) + chunk(b"IEND", b"")


def _value(value: Any, fields: Dict[str, Any]) -> Any:
    if isinstance(value, tuple):
        array = numpy.frombuffer(value[1], _TYPES[value[0]])
        return array.reshape(-1, value[2]) if len(value) == 3 else _image(array, fields)
    if isinstance(value, dict):
        return Data({name: _value(entry, value) for name, entry in value.items()})
    if isinstance(value, list):
        return [_value(entry, fields) for entry in value]
    return value


def _image(array: Array, fields: Dict[str, Any]) -> Array:
    """Pixels as rows and columns, where the data say how many there are."""
    width, height = fields.get("width"), fields.get("height")
    if isinstance(width, int) and isinstance(height, int) and width * height and array.size % (width * height) == 0:
        depth = array.size // (width * height)
        return array.reshape((height, width) if depth <= 1 else (height, width, depth)) if depth else array
    return array


def _json(value: Any) -> str:
    try:
        return json.dumps(value, allow_nan=False, default=_plain)
    except ValueError as error:
        raise AccessError(f"expected finite numbers: {error}") from None


def _plain(value: Any) -> Any:
    if isinstance(value, (numpy.ndarray, numpy.generic)):
        return value.tolist()
    raise TypeError(f"expected numbers, texts, lists or dicts, found {type(value).__name__}")
