"""The table of names against the program: every kind and setting that scripts can ask for is there."""
from __future__ import annotations

import json
import os
import unittest
from typing import Any, Dict

from morse_sim.builder import modifiers, table, worlds
from morse_sim.builder.ron import Fields

from . import ROOT
from .support import described, execute, listed, needs_program, program

PROPERTIES = os.path.join(ROOT, "src", "morse_sim", "builder", "properties.py")
PHYSICS = os.path.join(ROOT, "src", "morse_sim", "builder", "physics.py")

OWN = {
    "sensors": {"contact", "foot_switch", "force_torque", "joint_state", "kinect", "laser_scanner", "segmentation_camera"},
    "actuators": {"joints", "ackermann", "human_posture"},
    "modifiers": {
        "bias", "bias_jump", "depth_noise", "dropout", "freeze", "gaussian", "gps_noise", "latency", "meters",
        "image_noise", "quantization", "random_walk", "range_noise", "salt_and_pepper", "saturation",
        "silence", "spike", "utm",
    },
}
"""Kinds that MORSE does not have."""


HEAD = '''"""MORSE's properties of each kind: the setting, and how scripts write its value.

Out of the program's own table, by `UPDATE_GOLDEN=1` and tests/test_table.py: nothing is to be changed here.
"""
from typing import Any, Dict, Tuple

PROPERTIES: Dict[str, Dict[str, Tuple[str, Any]]] = {
'''
FORMS = {
    "f64": "number", "Option<f64>": "number", "u32": "whole", "bool": "flag", "String": "text",
    "Vec<String>": "names", "Vec<u32>": "numbers", "Vec<i64>": "numbers", "Option<Vec<u32>>": "numbers",
    "[f64; 3]": "vector",
}
"""How scripts write a value, by its type, unless the program says so."""


def form(setting: Dict[str, Any]) -> Any:
    """`commas` and `tuple` say how a list is told; scripts may write it in any way."""
    said = setting["property"]["form"]
    if isinstance(said, dict) or said in ("degrees", "millimetres"):
        return said
    return FORMS[setting["type"]]


@needs_program
class Table(unittest.TestCase):
    """In both directions."""

    def kinds(self, family: str) -> dict:
        return {"sensors": table.SENSORS, "actuators": table.ACTUATORS}[family]

    def test_every_kind_is_there(self) -> None:
        for family in ("sensors", "actuators"):
            known = set(listed(family))
            for name, kind in self.kinds(family).items():
                self.assertIn(kind.kind, known, f"{name} is a kind that the program does not have")

    def test_every_kind_can_be_asked_for(self) -> None:
        for family in ("sensors", "actuators"):
            named = {kind.kind for kind in self.kinds(family).values()} | OWN[family]
            for kind in listed(family):
                self.assertIn(kind, named, f"no class of the builder is a `{kind}`")

    def test_every_setting_is_there(self) -> None:
        for family in ("sensors", "actuators"):
            known = set(listed(family))
            for name, kind in self.kinds(family).items():
                if kind.kind not in known:
                    continue
                settings = {each["name"] for each in described(kind.kind, family)["settings"]}
                for property_, (setting, _convert) in kind.settings.items():
                    self.assertIn(setting, settings, f"{name}.{property_}")

    def test_properties_are_those_of_the_program(self) -> None:
        text = HEAD
        kinds = [(kind, family) for family in ("sensors", "actuators") for kind in listed(family)]
        for kind, family in sorted(kinds):
            settings = [each for each in described(kind, family)["settings"] if each["property"]]
            if settings:
                text += f'    "{kind}": {{\n'
                for each in settings:
                    name, as_written = each["property"]["name"], json.dumps(form(each))
                    text += f'        "{name}": ("{each["name"]}", {as_written}),\n'
                text += "    },\n"
        text += "}\n"
        if os.environ.get("UPDATE_GOLDEN"):
            with open(PROPERTIES, "w", encoding="utf-8") as file:
                file.write(text)
        with open(PROPERTIES, encoding="utf-8") as file:
            self.assertEqual(file.read(), text)

    def test_robots_are_those_of_the_program(self) -> None:
        rows = []
        for file in listed("robots"):
            word = os.path.splitext(os.path.basename(file))[0]
            asked = [program() or "", "describe", word, "--json"]
            said = execute(asked).stdout
            kinds = [json.loads(line) for line in said.splitlines()]
            rows += [kind["physics"] for kind in kinds if kind["family"] == "robot"]
        self.assertIn("ATRV", [row["class"] for row in rows])
        text = ""
        for row in sorted(rows, key=lambda row: row["class"]):
            own = (row["mass"], row["origin"], row["friction"], (row["linear_loss"], row["angular_loss"]))
            text += f'    "{row["class"]}": Physics{own!r},\n'
            self.assertEqual(worlds.ROBOTS[row["class"]].file, row["model"])
        with open(PHYSICS, encoding="utf-8") as file:
            head = file.read().partition("= {\n")[0]
        text = head + "= {\n" + text + "}\n"
        if os.environ.get("UPDATE_GOLDEN"):
            with open(PHYSICS, "w", encoding="utf-8") as file:
                file.write(text)
        with open(PHYSICS, encoding="utf-8") as file:
            self.assertEqual(file.read(), text)

    def test_every_modifier_is_there(self) -> None:
        known = set(listed("modifiers"))
        asked = [{"key": key, "classpath": None, "settings": {}} for key in modifiers.KEYS]
        asked += [
            {"key": None, "classpath": "morse.modifiers." + path, "settings": {}} for path in modifiers.CLASSES
        ]
        for each in asked:
            kinds = modifiers.KEYS[each["key"]] if each["key"] else ["pose"]
            for kind in kinds:
                fields = modifiers.modifier(each, "robot.sensor", kind, {})
                self.assertIsInstance(fields, Fields)
                self.assertIn(fields["kind"], known)
                settings = {setting["name"] for setting in described(fields["kind"], "modifiers")["settings"]}
                for name in fields:
                    self.assertIn(name, settings | {"kind"}, each)
        named = {fields for fields in known if fields in OWN["modifiers"]}
        self.assertEqual(named, OWN["modifiers"] & known)

    def test_every_model_is_there(self) -> None:
        known = set(listed("robots"))
        for name, model in worlds.ROBOTS.items():
            self.assertIn(model.file, known, name)
        for name, arm in worlds.ARMS.items():
            self.assertIn(arm["file"], known, name)
        environments = set(listed("environments"))
        for name, world in worlds.ENVIRONMENTS.items():
            self.assertIn(world.scene, environments, name)
