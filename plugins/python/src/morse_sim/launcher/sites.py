"""Folders of scripts, which MORSE calls environments, and the list of them in `~/.morse/config`."""
from __future__ import annotations

import configparser
import os
import re
import shutil
from typing import Optional, Tuple

from ..builder.errors import MorseEnvironmentError, suggestion
from . import skeleton

FIRST = '''"""A robot that is driven over sockets."""
from morse.builder import *

robot = ATRV()

motion = MotionVW()
robot.append(motion)

pose = Pose()
pose.translate(z=0.75)
robot.append(pose)

robot.add_default_interface("socket")

env = Environment("sandbox")
'''

CLIENT = '''"""Drives the robot for a while."""
from morse_sim.client import Morse

with Morse() as simulation:
    simulation.robot.motion.publish({"v": 1.0, "w": 0.3})
    for _ in range(10):
        print(simulation.robot.pose.get(timeout=5))
        simulation.sleep(1)
'''

def _config() -> str:
    return os.path.join(os.path.expanduser("~"), ".morse", "config")


def _read() -> configparser.ConfigParser:
    config = configparser.ConfigParser()
    config.optionxform = str  # type: ignore[assignment]
    config.read(_config())
    if not config.has_section("sites"):
        config.add_section("sites")
    return config


def _write(config: configparser.ConfigParser) -> None:
    os.makedirs(os.path.dirname(_config()), exist_ok=True)
    with open(_config(), "w", encoding="utf-8") as file:
        config.write(file)


def script(env: Optional[str], file: Optional[str]) -> Tuple[str, Optional[str]]:
    """The script that two words mean, and the folder that it belongs to, if any."""
    if env is None:
        raise MorseEnvironmentError("what is to be run? morse run SCRIPT.py, or morse run ENVIRONMENT")
    known = _read()["sites"]
    if env in known:
        folder = known[env]
        path = os.path.join(folder, file or "default.py")
        if file and not os.path.isfile(path) and os.path.isfile(file):
            path = file
        if not os.path.isfile(path):
            raise MorseEnvironmentError(f"`{env}` has no script `{os.path.basename(path)}` ({path})")
        return path, folder
    if os.path.isfile(env):
        return env, None
    if os.path.isfile(os.path.join(env, "default.py")):
        return os.path.join(env, file or "default.py"), env
    raise MorseEnvironmentError(f"there is neither a file nor an environment `{env}`{suggestion(env, known)}")


def create(env: str, is_forced: bool) -> int:
    """`morse create`."""
    name = os.path.basename(os.path.abspath(env))
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name):
        raise MorseEnvironmentError(f"`{name}` cannot be the name of a package: use letters, digits and `_`")
    if os.path.exists(env):
        if not is_forced:
            raise MorseEnvironmentError(f"`{env}` exists already; --force replaces it")
        shutil.rmtree(env)
    files = {
        "default.py": FIRST,
        f"scripts/{name}_client.py": CLIENT,
        f"src/{name}/__init__.py": "",
        f"src/{name}/builder/__init__.py": "",
        f"src/{name}/builder/robots/__init__.py": "",
        f"data/{name}/README.md": "Scenes (`.robray`) and meshes of this environment.\n",
    }
    for path, text in files.items():
        full = os.path.join(env, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "w", encoding="utf-8") as file:
            file.write(text)
    register(env, name, True)
    print(f"Made `{env}`. Try: morse run {name}, and then: python3 {env}/scripts/{name}_client.py")
    return 0


def register(path: str, env: Optional[str], is_forced: bool) -> int:
    """`morse import`."""
    if not os.path.isdir(path):
        raise MorseEnvironmentError(f"`{path}` is no folder")
    name = env or os.path.basename(os.path.abspath(path))
    config = _read()
    old = config["sites"].get(name)
    if old and old != os.path.abspath(path) and not is_forced:
        raise MorseEnvironmentError(f"`{name}` is `{old}` already; --force replaces it")
    config["sites"][name] = os.path.abspath(path)
    _write(config)
    return 0


def remove(env: str, is_forced: bool) -> int:
    """`morse rm`."""
    config = _read()
    if env not in config["sites"]:
        raise MorseEnvironmentError(f"there is no environment `{env}`{suggestion(env, config['sites'])}")
    path = config["sites"][env]
    if os.path.isdir(path):
        if not os.path.isfile(os.path.join(path, "default.py")):
            raise MorseEnvironmentError(f"`{path}` has no default.py: it is no folder of scripts, and stays")
        if not is_forced and input(f"Delete {path}? [y/N] ").strip().lower() != "y":
            return 1
        shutil.rmtree(path)
    config.remove_option("sites", env)
    _write(config)
    return 0


def add(kind: str, name: str, env: str, is_forced: bool, repository: Optional[str] = None) -> int:
    """`morse add`."""
    folder = _read()["sites"].get(env)
    if folder is None:
        raise MorseEnvironmentError(f"there is no environment `{env}`{suggestion(env, _read()['sites'])}")
    return skeleton.add(kind, name, folder, is_forced, repository)
