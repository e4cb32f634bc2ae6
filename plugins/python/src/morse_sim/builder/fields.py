"""A component as fields of the simulation file."""
from __future__ import annotations

from typing import Any, Dict, Optional, Tuple

from .arms import carried
from .blender import bpymorse
from .errors import MorseBuilderError, suggestion, warn
from .modifiers import modifier
from .rotation import Pose, angles, compose, matrix, product
from .ron import Entries, Fields, Word
from .table import JOINT_STATE, SENSORS, Kind, flag
from .worlds import GROUND

CARRIERS = ("ptu", "armature", "pa_10")
"""Kinds that carry what is on them."""
_WITH_BASE = ("armature", "pa_10")
"""Of these, those on which poses count from the base."""

_LEVELS = {"gps", "odometry", "laser_scanner", "sick", "hokuyo", "sick_ldmrs", "infrared", "velodyne"}
_QUIET = {"classpath", "Component_Tag", "abstraction_level", "frequency", "armature_name"}


def rounded(value: float) -> float:
    """Without the last digits, which are noise of sums; what is next to 0 is 0, and has no sign."""
    return float(f"{float(value):.12g}") if abs(value) > 1e-12 else 0.0


def pose_fields(pose: Pose, turn: float = 0.0) -> Fields:
    """`translation` and `rpy`, as far as they say something; turned about its own z axis."""
    translation, rotation = pose
    if turn:
        is_level = not any(rotation[:2])
        last = rotation[2] + turn
        rotation = [0.0, 0.0, last] if is_level else angles(product(matrix(rotation), matrix((0.0, 0.0, turn))))
    fields = Fields()
    translation = tuple(rounded(each) for each in translation)
    rotation = tuple(rounded(each) for each in rotation)
    if any(translation) or not any(rotation):
        fields["translation"] = translation
    if any(rotation):
        fields["rpy"] = rotation
    return fields


def _mount(named: Any, robot: Any, recording: Any) -> Tuple[Any, Pose]:
    """What carries it, and its pose there: poses of parents that stay put are added up. On an arm, as in MORSE, they
    count from where the arm begins, while it rests."""
    pose: Pose = (named.component.location, named.component.rotation_euler)
    names = {id(each.component): each.name for each in recording.trees[robot.name]}
    parent = named.parent
    while parent is not robot:
        if parent.entry().kind in CARRIERS:
            name = names[id(parent)]
            return (Fields(component=name, **{"from": Word("base")}) if parent.entry().kind in _WITH_BASE else name), pose
        pose = compose((parent.location, parent.rotation_euler), pose)
        parent = parent.parent
    if robot.model.faces:
        pose = compose(((0.0, 0.0, 0.0), (0.0, 0.0, robot.model.faces)), pose)
    return None, pose


def component_fields(named: Any, robot: Any, recording: Any) -> Fields:
    """A sensor or an actuator."""
    component = named.component
    kind: Kind = component.entry()
    if any(stream["method"] == JOINT_STATE for stream in component.streams):
        kind = SENSORS["ArmaturePose"]
    path = f"{robot.name}.{named.name}"
    fields = Fields(kind=kind.kind)
    level = component.property_value("abstraction_level")
    if not level and kind.kind == "odometry" and not component.streams:
        # As in MORSE, where the stream chooses the level.
        level = "differential"
    if level:
        if kind.kind not in _LEVELS:
            raise MorseBuilderError(f"{path}: `{kind.kind}` has no levels")
        fields["level"] = Word(level)
    if component.hertz and (component.hertz != recording.rate or component._category == "sensors"):
        fields["frequency"] = rounded(component.hertz)
    on, pose = _mount(named, robot, recording)
    if on:
        fields["on"] = on
    if not carried(named) and (any(pose[0]) or any(pose[1])):
        fields["mount"] = pose_fields(pose)
    fields.update(_settings(component, kind, path))
    fields.update(_special(named, kind, robot, recording))
    environment = recording.environment._bpy_object.values
    modifiers = [modifier(asked, path, kind.kind, environment) for asked in component.modifiers]
    if kind.kind == "collision":
        # In MORSE, what touches nothing says nothing, and what is no actor is not felt.
        floor = recording.environment.world.floor
        if floor and not bpymorse.named[GROUND].game.use_actor:
            fields["ignore"] = [floor]
        modifiers.append(Fields(kind="silence", unless="collision"))
    if modifiers and kind.kind == "gps" and level in ("raw", "extended"):
        warn(f"{path}: the level `{level}` has no `x`, `y` and `z`: its modifiers change nothing")
        modifiers = []
    if modifiers:
        fields["modifiers"] = modifiers
    if component.services:
        fields["services"] = list(component.services)
    fields.update(_streams(component, path))
    return fields


def tags(component: Any) -> Dict[str, Any]:
    """Properties that are no settings, nor settings that are misspelt: by these others find the component."""
    kind: Kind = component.entry()
    known = [*kind.settings, *kind.silent, *kind.always, *_QUIET]
    strange = {name: value for name, value in component.set.items() if name not in known}
    return {} if kind.is_own else {name: value for name, value in strange.items() if not suggestion(name, known)}


def marks(tree: Any, robot: Any, recording: Any) -> Dict[str, Tuple[Pose, Dict[str, Any]]]:
    """Places on a robot where components are found by their tags."""
    tagged = {}
    for named in tree:
        values = tags(named.component)
        on, pose = _mount(named, robot, recording)
        if values and on:
            carrier = on["component"] if isinstance(on, Fields) else on
            warn(f"{robot.name}.{named.name}: what is on `{carrier}` is not found by `{next(iter(values))}`")
        elif values:
            tagged[f"{named.name.replace('.', '_')}_itself"] = (pose, values)
    return tagged


def _settings(component: Any, kind: Kind, path: str) -> Fields:
    fields = Fields()
    for name, value in {**kind.always, **component.set}.items():
        if name in _QUIET or name in kind.silent and name not in kind.settings:
            continue
        if kind.is_own:
            fields[name] = value
            continue
        if name in tags(component):
            continue
        if name not in kind.settings:
            near = suggestion(name, [*kind.settings, *kind.silent])
            warn(f"{path}: `{kind.kind}` has no property `{name}`, which changes nothing{near}")
            continue
        setting, convert = kind.settings[name]
        try:
            fields[setting] = convert(value)
        except (TypeError, ValueError):
            raise MorseBuilderError(f"{path}: {name} cannot be {value!r}") from None
    if "fov" in fields:
        fields.pop("focal", None)
    return fields


def _special(named: Any, kind: Kind, robot: Any, recording: Any) -> Fields:
    """What takes more than a table."""
    component = named.component
    fields = Fields()
    if kind.kind == "compound":
        fields["sensors"] = [each.name for each in component.sensors]
    if kind.kind == "video_camera" and flag(component.property_value("retrieve_depth") or False):
        fields["level"] = Word("rgbd")
    if kind.kind == "stereo_unit":
        fields["cameras"] = [each.name for each in component.children if hasattr(each, "hide_mesh")]
    # MORSE's own values make up for wheels that rub; the ones here turn as they are told.
    if kind.kind == "v_omega_diff" and robot.set.get("FixTurningSpeed"):
        fields["fix_turning_speed"] = float(robot.set["FixTurningSpeed"])
    if kind.kind == "steer_force":
        # In MORSE, a negative force drives ahead.
        fields["reversed"] = True
    if kind.kind == "destination" and not robot.model.is_ground and "RemainAtDestination" not in component.set:
        # What has arrived in the air stays there.
        fields["remain_at_destination"] = True
    arm = carried(named)
    if kind.kind in ("armature", "pa_10") and component.joints:
        fields["joints"] = list(component.joints)
    if arm:
        fields["root"] = arm.prefixed(arm.root)
    if kind.kind == "armature_pose" and component.entry().kind == "compound":
        poses = [each.parent.joints for each in component.sensors]
        fields["joints"] = [joint for joints in poses for joint in joints]
    if kind.kind == "armature":
        fields["convention"] = Word("morse")
        if component.targets:
            fields["targets"] = Entries(component.targets)
        if arm and arm.tip:
            fields["tip"] = arm.prefixed(arm.tip)
    return fields


_OUTPUT = {"socket": {"port": "port"}, "text": {"file": "file"}}


def _streams(component: Any, path: str) -> Fields:
    entries = Entries()
    is_sensor = component._category == "sensors"
    for stream in component.streams:
        name = "socket" if "socket" in stream["middleware"] else "text"
        if name == "text" and not is_sensor:
            warn(f"{path}: commands do not come out of files")
            continue
        settings: Dict[str, Any] = Fields()
        for given, value in stream["settings"].items():
            if given in _OUTPUT[name]:
                settings[_OUTPUT[name][given]] = value
            else:
                warn(f"{path}: streams over `{name}` have no `{given}`{suggestion(given, _OUTPUT[name])}")
        method = stream["method"] or ""
        if method.endswith("Video8uPublisher"):
            settings["image"] = Word("grey")
        elif method.endswith("CSVPublisher"):
            settings["format"] = Word("csv")
        elif method and method != JOINT_STATE and not method.endswith(("SocketPublisher", "SocketReader")):
            warn(f"{path}: the method `{method}` is written in Python for Blender; the usual one is taken")
        entries[name] = settings
    if not entries:
        return Fields()
    return Fields({"outputs" if is_sensor else "inputs": entries})
