"""From what a script said to a simulation file, and a scene and models where it needs its own."""
from __future__ import annotations

import math
import os
import re
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

from .arms import carried
from .blender import bpymorse
from .component import AbstractComponent
from .creator import ComponentCreator
from .environment import Environment, TimeStrategies
from .errors import MorseBuilderError, warn
from .fields import component_fields, marks, pose_fields, rounded
from .primitives import Mesh, PassiveObject, Zone
from .robots import Robot
from .ron import Entries, Fields, Word, document
from .scenery import Scenery
from .physics import Physics
from .worlds import GRASPABLE, GROUND, INTERNAL, PROPERTIES_OF_BOXES, Lamp


class Named(NamedTuple):
    """A component of a robot, under the name that it has there."""

    name: str
    component: ComponentCreator
    parent: Any


class Recording:
    """A script that has come to its end."""

    def __init__(self, environment: Environment, components: List[AbstractComponent]):
        self.environment = environment
        self.components = components
        self.robots: Dict[str, Robot] = {}
        self.trees: Dict[str, List[Named]] = {}
        self.scenery = Scenery(environment.world.scene)
        for component in components:
            if isinstance(component, Robot):
                name = free(component.name, self.robots)
                component._bpy_object.name = name
                self.robots[name] = component
        for name, robot in self.robots.items():
            default_interface(robot, robot.default_interface)
            self.trees[name] = tree(robot)
        self.rate = self._rate()
        self.created = {id(component): index for index, component in enumerate(components)}
        self.allowed = {os.path.dirname(path) for path in self._files()}

    @classmethod
    def of_script(cls) -> "Recording":
        """Of the script that this process has run."""
        environment = Environment.current
        if environment is None:
            raise MorseBuilderError("the script creates no Environment: end it with `env = Environment('empty')`")
        return cls(environment, list(AbstractComponent.components))

    def _files(self) -> List[str]:
        """Files that the user named."""
        files = [self.environment.world.scene]
        files += [robot.model.file for robot in self.robots.values()]
        files += [each.file for each in self.components if isinstance(each, PassiveObject) and each.file]
        files += [
            named.component.file
            for named in self._all()
            if getattr(named.component, "file", None) and named.component.file
        ]
        return [file for file in files if os.path.isabs(file)]

    def _all(self) -> List[Named]:
        return [named for each in self.trees.values() for named in each]

    def _rate(self) -> float:
        rate = self.environment.rate or 60.0
        fastest = max([named.component.hertz or 0.0 for named in self._all()], default=0.0)
        if fastest <= rate:
            return rate
        if self.environment.auto_tune_time:
            return fastest
        for named in self._all():
            if (named.component.hertz or 0.0) > rate:
                warn(
                    f"{named.name} is to act {named.component.hertz:g} times a second, but there are "
                    f"{rate:g} ticks; simulator_frequency({fastest:g}) makes more"
                )
                named.component.hertz = rate
        return rate

    # The simulation file -----------------------------------------------------------------------------

    def simulation(self, stem: str) -> Fields:
        """The simulation file. The scene, once it is known, is called `stem.robray`."""
        bodies, self.objects = self._things()
        robots = Entries({name: self._robot(name, robot, stem) for name, robot in self.robots.items()})
        scene = f"{stem}.robray" if self.scenery.frames else self.environment.world.scene
        fields = Fields(scene=scene, environment=self._environment())
        zones = self._zones()
        for name, entries in (("bodies", bodies), ("objects", self.objects), ("zones", zones), ("robots", robots)):
            if entries:
                fields[name] = entries
        fields["middlewares"] = self._middlewares()
        return fields

    def _environment(self) -> Fields:
        fields = Fields(rate=rounded(self.rate), motion=Word("morse"))
        if self.environment.strategy == TimeStrategies.FixedSimulationStep:
            fields["time_strategy"] = Word("fixed_step")
        if not self.environment._blender_filename.endswith(".robray"):
            # Clients are told what scripts say.
            fields = Fields(name=self.environment._blender_filename, **fields)
        if self.environment.gravity != 9.81:
            fields["gravity"] = (0, 0, rounded(-self.environment.gravity))
        if self.environment.substeps != 2:
            fields["substeps"] = self.environment.substeps
        values = self.environment._bpy_object.values
        given = [name for name in ("latitude", "longitude", "altitude") if name in values]
        if given and len(given) < 3:
            warn("a place on Earth needs longitude, latitude and altitude; what is missing is 0")
        if given:
            origin = Fields({name: float(values.get(name, 0.0)) for name in ("latitude", "longitude", "altitude")})
            if "angle_against_north" in values:
                origin["angle_against_north"] = float(values["angle_against_north"])
            fields["origin"] = origin
        if self.environment.world.lamps:
            fields["light"] = light(self.environment.world.lamps)
        paths = {id(each.component): f"{robot}.{each.name}" for robot, all_ in self.trees.items() for each in all_}
        view = self.environment.view(paths)
        if view:
            fields["view"] = view
        return fields

    def _middlewares(self) -> Entries:
        socket = Fields(kind="socket", **self.environment.managers.get("socket", {}))
        entries = Entries(socket=socket)
        used = {stream["middleware"] for named in self._all() for stream in named.component.streams}
        if "text" in used:
            entries["text"] = Fields(kind="text", **self.environment.managers.get("text", {}))
        return entries

    def _zones(self) -> Entries:
        zones = Entries()
        for zone in self.components:
            if isinstance(zone, Zone):
                at = pose_fields((zone.location, (0.0, 0.0, 0.0)))
                size = tuple(rounded(each) for each in zone.size)
                zones[free(zone.name, zones)] = Fields(type=zone.type, at=at, size=size)
        return zones

    def _things(self) -> Tuple[Entries, Entries]:
        """Bodies that forces move, and what can be known of them; the scenery gets their shapes."""
        bodies, objects = Entries(), Entries()
        damping = damped(Physics().damping)
        for name, mass in self.environment.world.boxes:
            bodies[name] = Fields(kind=Word("dynamic"), mass=mass, **damping)
            about = self._about_box(name)
            if about:
                objects[name] = about
        for name in self.environment.world.furniture:
            bodies[name] = Fields(kind=Word("kinematic"))
        floor = self.environment.world.floor
        about = self._about_box(GROUND) if floor else Fields()
        if about:
            objects[floor] = Fields(label=GROUND, **about)
        for each in self.components:
            if not isinstance(each, (PassiveObject, Mesh)):
                continue
            if "parent" in each.__dict__:
                if isinstance(each, PassiveObject):
                    warn(f"{each.name}: objects on robots are not simulated")
                continue
            is_dynamic = self.scenery.add(each)
            if is_dynamic is None:
                continue
            name = each.name
            physics = each._bpy_object.game.physics_type
            if physics in ("DYNAMIC", "RIGID_BODY") or (is_dynamic and physics != "STATIC"):
                bodies[name] = Fields(kind=Word("dynamic"))
                if each._bpy_object.game.mass:
                    bodies[name]["mass"] = float(each._bpy_object.game.mass)
                bodies[name].update(damped(Physics().damping, each._bpy_object.game))
                bodies[name].update(locks(each._bpy_object.game))
            else:
                # Forces do not move it, but clients do.
                bodies[name] = Fields(kind=Word("kinematic"))
            about = self._about(each._bpy_object.values, "", each.name)
            if about:
                objects[name] = about
        return bodies, objects

    @staticmethod
    def _about_box(name: str) -> Fields:
        """What is known of a thing that came with the environment, also from the script."""
        values = dict(bpymorse.named[name].values) if name in bpymorse.named else {}
        if name in PROPERTIES_OF_BOXES:
            values.setdefault("Object", True)
        fields = Fields()
        for word in ("Label", "Description", "Type"):
            if word in values:
                fields[word.lower()] = str(values.pop(word))
        if values.pop("Graspable", name in GRASPABLE):
            fields["graspable"] = True
        if shown(values):
            fields["properties"] = shown(values)
        return fields

    @staticmethod
    def _about(values: Dict[str, Any], label: str, name: str = "") -> Fields:
        """What sensors can know of a thing."""
        values = dict(values)
        fields = Fields()
        label = values.pop("Label", label)
        for word, default in (("Description", ""), ("Type", "Object")):
            value = values.pop(word, default)
            if value != default:
                fields[word.lower()] = str(value)
        if label and label != name:
            fields = Fields(label=str(label), **fields)
        if values.pop("Graspable", False):
            fields["graspable"] = True
        properties = shown(values)
        if properties:
            fields["properties"] = properties
        return fields

    # Robots ------------------------------------------------------------------------------------------

    def _robot(self, name: str, robot: Robot, stem: str) -> Fields:
        model = robot.model
        frames = marks(self.trees[name], robot, self)
        file = model.file
        if frames:
            file = f"{stem}_{name}.robray"
            self.scenery.models[file] = (model, {mark: pose for mark, (pose, _tags) in frames.items()})
        for mark, (_pose, values) in frames.items():
            label = f"{name}.{mark[: -len('_itself')]}"
            self.objects[f"{name}.{mark}"] = self._about(values, label)
        fields = Fields(model=file)
        game = robot._bpy_object.game
        kinds = {"STATIC": "fixed", "NO_COLLISION": "kinematic", "SENSOR": "kinematic", "OCCLUDER": "fixed"}
        base = kinds.get(game.physics_type, "dynamic")
        if base != "dynamic":
            fields["base"] = Word(base)
        turned = (robot.location, robot.rotation_euler)
        fields["at"] = pose_fields(turned, -model.faces)
        if model.physics.origin:
            fields["origin"] = (0, 0, model.physics.origin)
        attached = Entries()
        joints = list(model.joints)
        for named in self.trees[name]:
            arm = carried(named)
            if arm:
                attached[arm.name] = arm.fields(robot)
            joints += [arm.prefixed(each) if arm else each for each in getattr(named.component, "joints", ())]
        if attached:
            fields["parts"] = attached
        joints = list(dict.fromkeys(joints))
        if joints:
            fields["joints"] = Entries({joint: Fields(mode=Word("kinematic")) for joint in joints})
        mass = game.mass or (model.physics.mass if base == "dynamic" else None)
        if mass:
            fields["mass"] = float(mass)
        if robot.friction is not None:
            fields["friction"] = robot.friction
        if base == "dynamic":
            fields.update(damped(model.physics.damping, game))
            fields.update(locks(game))
        fields.update(self._locomotion(robot, base))
        properties = shown(robot._bpy_object.values)
        if properties:
            fields["properties"] = properties
        if robot.services:
            fields["services"] = list(robot.services)
        # Entries in the order in which the script created the components: it decides which of several acts first.
        by_age = sorted(self.trees[name], key=lambda named: self.created[id(named.component)])
        for family in ("sensors", "actuators"):
            entries = Entries(
                {
                    named.name: component_fields(named, robot, self)
                    for named in by_age
                    if named.component._category == family
                }
            )
            if entries:
                fields[family] = entries
        if robot.overlay:
            fields["overlays"] = Entries({free("services", {named.name for named in self.trees[name]}): Fields(kind=robot.overlay)})
        return fields

    @staticmethod
    def _locomotion(robot: Robot, base: str) -> Fields:
        fields = Fields()
        values = robot._bpy_object.values
        is_ground = robot.model.is_ground and not values.get("NoGravity")
        if "GroundRobot" in robot.set:
            is_ground = bool(values["GroundRobot"])
        if not is_ground and base == "dynamic":
            fields["locomotion"] = Word("free")
        return fields

    # Files -------------------------------------------------------------------------------------------

    def save(self, directory: str, stem: str, title: Optional[str] = None) -> str:
        """Writes everything; the path of the simulation file."""
        os.makedirs(directory, exist_ok=True)
        simulation = self.simulation(stem)
        head = f"// {title}\n" if title else ""
        if self.scenery.frames:
            with open(os.path.join(directory, f"{stem}.robray"), "w", encoding="utf-8") as file:
                file.write(self.scenery.scene())
        for name, model in self.scenery.models.items():
            with open(os.path.join(directory, name), "w", encoding="utf-8") as file:
                file.write(self.scenery.model(*model))
        path = os.path.join(directory, f"{stem}.ron")
        with open(path, "w", encoding="utf-8") as file:
            file.write(head + document(simulation))
        return path


def light(lamps: Tuple[Lamp, ...]) -> Fields:
    """No light but that of lamps, and the background that MORSE's cameras have where nothing is."""
    grey, dark = (rounded(143 / 255),) * 3, Fields(strength=0)
    return Fields(
        sun=dark,
        ambient=dark,
        sky=Fields(zenith=grey, horizon=grey),
        ground=grey,
        lamps=Entries(
            {
                f"lamp_{number}": Fields(translation=lamp.at, distance=lamp.distance, strength=lamp.strength)
                for number, lamp in enumerate(lamps, 1)
            }
        ),
    )


def damped(shares: Tuple[float, float], game: Any = None) -> Fields:
    """What a body loses of its speeds: Blender's shares in a second as rates, 1/s."""
    own = (getattr(game, "damping", None), getattr(game, "rotation_damping", None))
    fields = Fields()
    for name, share, given in zip(("linear_damping", "angular_damping"), shares, own):
        share = share if given is None else float(given)
        if not 0.0 <= share < 1.0:
            raise MorseBuilderError(f"a damping of {share} is no share: it is from 0 to less than 1")
        if share:
            fields[name] = float(f"{-math.log1p(-share):.6g}")
    return fields


def locks(game: Any) -> Fields:
    """Axes on which a body does not move."""
    words = {"location": "", "rotation": "rotation_"}
    locked = [
        Word(word + axis) for what, word in words.items() for axis in "xyz" if getattr(game, f"lock_{what}_{axis}")
    ]
    return Fields(locked=locked) if locked else Fields()


def free(name: str, taken: Any) -> str:
    """A name that nothing has, as MORSE makes it."""
    name = re.sub(r"[^A-Za-z0-9_-]", "_", name)
    if not re.match(r"[A-Za-z_]", name):
        name = f"_{name}"
    unused, number = name, 0
    while unused in taken:
        number += 1
        unused = f"{name}_{number:03d}"
    return unused


def tree(robot: Robot) -> List[Named]:
    """All components of a robot, each with its path below it; parents first."""
    listed: List[Named] = []

    def walk(parent: AbstractComponent, prefix: str) -> None:
        for child in parent.children:
            if not isinstance(child, ComponentCreator):
                continue
            taken = {named.name for named in listed}
            base = free(child.basename or type(child).__name__, ())
            name, number = prefix + base, 0
            while name in taken:
                number += 1
                name = f"{prefix}{base}_{number:03d}"
            child._bpy_object.name = f"{robot.name}.{name}"
            listed.append(Named(name, child, parent))
            walk(child, f"{name}.")

    walk(robot, "")
    return listed


def default_interface(component: AbstractComponent, interface: Optional[str]) -> None:
    """Streams and services for what has none."""
    for child in component.children if interface else []:
        if not isinstance(child, ComponentCreator):
            continue
        has_stream = any(stream["middleware"] == interface for stream in child.streams)
        if not has_stream and child.is_exportable():
            child.add_stream(str(interface))
        child.add_service(str(interface))
        default_interface(child, interface)


def shown(values: Dict[str, Any]) -> Entries:
    """Properties by which others know a thing."""
    entries = Entries()
    for name, value in values.items():
        if name in INTERNAL:
            continue
        if name in ("Requirements", "Abilities") and isinstance(value, str):
            value = [int(each) for each in re.findall(r"-?\d+", value)]
        if isinstance(value, (bool, int, float, str, list)):
            entries[name] = value
        else:
            entries[name] = str(value)
    return entries
