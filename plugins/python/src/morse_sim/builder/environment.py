"""The last part of a builder script: where it all happens, and how time passes."""
from __future__ import annotations

import inspect
import os
from typing import Any, Dict, List, Optional

from .blender import Object, bpymorse
from .component import AbstractComponent, middleware, name_variables
from .errors import MorseBuilderError, suggestion, warn
from .view import ViewCamera
from .worlds import ENVIRONMENTS, GROUND, World, floor_of


class TimeStrategies:
    """How simulated time goes with the clock on the wall."""

    BestEffort = 0
    FixedSimulationStep = 1

    @staticmethod
    def human_repr(strategy: int) -> str:
        return "Fixed Simulation Step" if strategy == TimeStrategies.FixedSimulationStep else "Best Effort"

    @staticmethod
    def python_repr(strategy: int) -> bytes:
        names = {0: b"TimeStrategies.BestEffort", 1: b"TimeStrategies.FixedSimulationStep"}
        return names[strategy]


LOOKS = (
    "set_horizon_color", "enable_mist", "set_mist_settings",
    "show_debug_properties", "show_framerate", "show_physics", "set_material_mode", "set_viewport",
    "fullscreen", "set_debug", "set_stereo", "set_animation_record", "set_auto_start", "use_vsync",
    "set_background_scene",
)
"""Verbs for the eye, which only see a window."""

STREAM_MANAGER = {"time_sync", "sync_port", "port", "streams", "listen", "token", "max_clients", "sync_timeout"}


class Environment(ViewCamera, AbstractComponent):
    """An environment of MORSE's library, or a scene file (`.robray`)."""

    current: Optional["Environment"] = None

    def __init__(
        self,
        filename: str,
        main_scene: Optional[str] = None,
        fastmode: bool = False,
        component_renaming: bool = True,
        auto_tune_time: bool = True,
    ):
        super().__init__(Object("MORSE.Properties"), filename=filename, category="environments")
        AbstractComponent.components.remove(self)
        if main_scene:
            warn("main_scene has no effect: a scene file holds one scene")
        self.fastmode = fastmode
        self.auto_tune_time = auto_tune_time
        self.world = self._find(filename)
        self.gravity = 9.81
        self.strategy = TimeStrategies.BestEffort
        self.time_scale: Optional[float] = None
        self.rate: Optional[float] = None
        self.substeps = 2
        self.has_syncer = False
        self.managers: Dict[str, Dict[str, Any]] = {}
        self.is_created = False
        for name, _mass in self.world.boxes:
            bpymorse.named[name] = Object(name)
        if self.world.floor:
            bpymorse.named[GROUND] = Object(GROUND)
            bpymorse.named[GROUND].game.physics_type = "STATIC"
        Environment.current = self
        if component_renaming:
            self._rename()

    @staticmethod
    def _find(filename: str) -> World:
        if filename.endswith(".robray"):
            if not os.path.isfile(filename):
                raise FileNotFoundError(f"Environment: there is no file `{filename}`")
            return World(os.path.abspath(filename), floor=floor_of(filename))
        if filename.endswith(".blend"):
            raise MorseBuilderError(
                f"`{filename}` is a Blender file, which nothing here can read; write the environment as a "
                "scene (`.robray`) and name that instead"
            )
        name = "outdoors" if filename.startswith("outdoors") else filename
        world = ENVIRONMENTS.get(name) or ENVIRONMENTS.get(f"{name}/{name}")
        if world is None:
            known = ", ".join(ENVIRONMENTS)
            raise MorseBuilderError(
                f"there is no environment `{filename}`{suggestion(filename, ENVIRONMENTS)} (known: {known})"
            )
        if world.stand_in:
            warn(world.stand_in.format(name=filename, scene=world.scene))
        return world

    def _rename(self) -> None:
        """Names all by the variables of the function that creates the environment."""
        frame = inspect.currentframe()
        caller = None
        while frame is not None:
            if frame.f_code.co_name == "__init__" and frame.f_back is not None:
                caller = frame.f_back
            frame = frame.f_back
        if caller is not None:
            name_variables(caller)

    # Time ------------------------------------------------------------------------------------------

    def set_time_strategy(self, strategy: int) -> None:
        if strategy not in (TimeStrategies.BestEffort, TimeStrategies.FixedSimulationStep):
            raise ValueError(f"{strategy!r} is no time strategy")
        self.strategy = strategy

    def set_time_scale(
        self, slowdown_by: Optional[float] = None, accelerate_by: Optional[float] = None
    ) -> None:
        """Simulated time in slow or in quick motion."""
        given = [value for value in (slowdown_by, accelerate_by) if value]
        if len(given) != 1 or given[0] <= 0:
            raise MorseBuilderError("set_time_scale takes `slowdown_by` or `accelerate_by`, above 0")
        self.time_scale = 1.0 / slowdown_by if slowdown_by else float(accelerate_by or 1.0)

    def simulator_frequency(
        self, base_frequency: float = 60, logic_step_max: int = 20, physics_step_max: int = 20
    ) -> None:
        """Ticks a second."""
        del logic_step_max, physics_step_max
        if base_frequency <= 0:
            raise MorseBuilderError("simulator_frequency takes a frequency above 0")
        self.rate = float(base_frequency)
        self.auto_tune_time = False

    def set_physics_step_sub(self, step_sub: int) -> None:
        """Steps of the physics engine a tick."""
        self.substeps = int(step_sub)

    def use_internal_syncer(self) -> None:
        """Time keeps pace by itself here."""
        self.has_syncer = True
        self.auto_tune_time = False

    def use_relative_time(self, relative_time: bool) -> None:
        if not relative_time:
            warn("simulated time begins at 0, also with use_relative_time(False)")

    def pace(self) -> str:
        """What morse-sim's `--rtf` is to be."""
        override = os.environ.get("MORSE_RTF")
        if override:
            return override
        if self.time_scale:
            return f"{self.time_scale:.12g}"
        is_synced = self.managers.get("socket", {}).get("time_sync") and not self.has_syncer
        if is_synced and self.strategy == TimeStrategies.FixedSimulationStep:
            return "max"
        return "1"

    # Physics and middlewares -------------------------------------------------------------------------

    def set_gravity(self, gravity: float = 9.81) -> None:
        """Downwards, m/s²."""
        self.gravity = float(gravity)

    def add_service(self, interface: str, component: Any = None, config: Any = None) -> None:
        """The simulation's own services are always there, over sockets."""
        del component, config
        middleware(interface)

    configure_service = add_service

    def configure_stream_manager(self, stream_manager: str, **settings: Any) -> None:
        """Settings of a middleware."""
        if not middleware(stream_manager):
            return
        name = "socket" if "socket" in stream_manager else "text"
        known = STREAM_MANAGER if name == "socket" else {"directory"}
        for setting in settings:
            if setting not in known:
                raise MorseBuilderError(
                    f"the stream manager `{name}` has no setting `{setting}`{suggestion(setting, known)}"
                )
        self.managers.setdefault(name, {}).update(settings)

    def configure_multinode(
        self,
        protocol: str = "socket",
        server_address: str = "localhost",
        server_port: str = "65000",
        distribution: Optional[Dict[str, List[str]]] = None,
    ) -> None:
        del protocol, server_address, server_port, distribution
        warn("there is one node: it simulates all robots")

    def set_log_level(self, component: str, level: str) -> None:
        del component, level
        warn("set_log_level has no effect")

    # The end -----------------------------------------------------------------------------------------

    def create(self, name: Optional[str] = None) -> None:
        """Says that nothing is to come; what comes still counts."""
        del name
        self.is_created = True

    def save(self, filepath: Optional[str] = None, check_existing: bool = False, compress: bool = True) -> None:
        """Writes the simulation file, next to its scene where it has one of its own."""
        del compress
        from .write import Recording

        if filepath is None:
            raise MorseBuilderError("save takes the name of a file")
        stem = os.path.splitext(filepath)[0]
        if check_existing and os.path.exists(stem + ".ron"):
            raise MorseBuilderError(f"`{stem}.ron` exists already")
        Recording.of_script().save(os.path.dirname(stem) or ".", os.path.basename(stem))


def _without_window(verb: str) -> Any:
    def looks(self: Environment, *_arguments: Any, **_named: Any) -> None:
        warn(f"{verb} has no effect: neither the page nor the window has that")

    looks.__name__ = verb
    looks.__doc__ = "For the eye only."
    return looks


for _verb in LOOKS:
    setattr(Environment, _verb, _without_window(_verb))
