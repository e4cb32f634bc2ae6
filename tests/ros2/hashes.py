"""Hashes of message definitions as ROS's own generators compute them (REP 2016), and those of the installed packages, as JSON.

The standard input is a JSON object of type → definition, such as `geometry_msgs/msg/Point` → `float64 x` and so on. Printed is an
object of type → [hash of the definition, hash of the installed package], of the types whose packages are installed.
"""
import contextlib
import json
import os
import pathlib
import sys
import tempfile

from rosidl_adapter.msg import convert_msg_to_idl
from rosidl_generator_type_description.cli import HashTypeDescription

PREFIX = pathlib.Path(sys.prefix)
# Where the generator looks for its templates.
os.environ["AMENT_PREFIX_PATH"] = str(PREFIX)


def hash_in(file, name):
    """Returns the hash of a type in a file that describes it."""
    hashes = json.loads(file.read_text())["type_hashes"]
    return next(entry["hash_string"] for entry in hashes if entry["type_name"] == name)


def main():
    definitions = json.load(sys.stdin)
    installed = {name: PREFIX / "share" / f"{name}.json" for name in definitions}
    names = [name for name in definitions if installed[name].exists()]
    hashes = {}
    with tempfile.TemporaryDirectory() as temporary:
        directory = pathlib.Path(temporary)
        for package in sorted({name.split("/")[0] for name in names}):
            source, output = directory / "source" / package, directory / "output" / package
            (source / "msg").mkdir(parents=True)
            output.mkdir(parents=True)
            own = [name for name in names if name.startswith(package + "/")]
            for name in own:
                (source.parent / f"{name}.msg").write_text(definitions[name])
            with contextlib.redirect_stdout(sys.stderr):
                for name in own:
                    convert_msg_to_idl(source, package, pathlib.Path(f"{name}.msg").relative_to(package), directory / "idl" / package / "msg")
                files = [f"{directory / 'idl' / package}:msg/{name.split('/')[-1]}.idl" for name in own]
                HashTypeDescription("hash").generate_type_hashes(package, files, [str(PREFIX / "share")], output)
            hashes.update({name: [hash_in(output.parent / f"{name}.json", name), hash_in(installed[name], name)] for name in own})
    print(json.dumps(hashes))


main()
