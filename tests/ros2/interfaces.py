"""Builds the packages of messages that Python's package index lacks, with ROS's own generators, for the tests.

Usage: python interfaces.py DISTRIBUTION [PACKAGE]…, with a Python that has rclpy of this distribution. The definitions are the
directories beside this file, in `interfaces`, or in `interfaces_DISTRIBUTION` where they differ; all of them without names. The
packages are written next to the installed ones. A C++ compiler is necessary.
"""
import os
import pathlib
import subprocess
import sys
import sysconfig
import tempfile

import numpy
from rosidl_adapter.action import convert_action_to_idl
from rosidl_adapter.msg import convert_msg_to_idl
from rosidl_adapter.srv import convert_srv_to_idl
from rosidl_generator_c.cli import GenerateC
from rosidl_generator_py.cli import GeneratePython
from rosidl_generator_type_description.cli import HashTypeDescription
from rosidl_typesupport_c.cli import GenerateCTypesupport
from rosidl_typesupport_fastrtps_c.cli import GenerateFastRTPSCTypesupport
from rosidl_typesupport_introspection_c.cli import GenerateIntrospectionCTypesupport

CONVERTERS = {"msg": convert_msg_to_idl, "srv": convert_srv_to_idl, "action": convert_action_to_idl}
PREFIX = pathlib.Path(sys.prefix)
# Where the generators look for their templates.
os.environ["AMENT_PREFIX_PATH"] = str(PREFIX)
DEPENDENCIES = ["std_msgs", "geometry_msgs", "trajectory_msgs", "action_msgs", "builtin_interfaces", "unique_identifier_msgs", "service_msgs"]
SUPPORTS = ["rosidl_generator_c", "rosidl_typesupport_c", "rosidl_typesupport_fastrtps_c", "rosidl_typesupport_introspection_c", "rosidl_generator_py"]
IMPLEMENTATIONS = ["rosidl_typesupport_fastrtps_c", "rosidl_typesupport_introspection_c"]
RUNTIME = ["rosidl_runtime_c", "rosidl_typesupport_c", "rosidl_typesupport_introspection_c", "rosidl_typesupport_fastrtps_c", "rosidl_typesupport_fastrtps_cpp", "rmw", "rcutils", "fastcdr"]


def generate(source, directory):
    """Writes the C and Python code of a package below a directory."""
    package, idl = source.name, directory / "idl" / source.name
    files = []
    for definition in sorted(source.glob("*/*")):
        kind = definition.parent.name
        CONVERTERS[kind](source, package, definition.relative_to(source), idl / kind)
        files.append(f"{idl}:{kind}/{definition.stem}.idl")
    output = directory / package
    output.mkdir()
    includes = [str(PREFIX / "share"), str(directory / "idl")]
    arguments = (package, files, includes, output)
    hashes = HashTypeDescription("hash").generate_type_hashes(*arguments)
    # Separately, since a message and an action may have one name.
    for kind in CONVERTERS:
        own = [file for file in files if f":{kind}/" in file]
        GenerateC("c").generate(package, own, includes, output, [hash for hash in hashes if hash.parent.name == kind])
    GenerateFastRTPSCTypesupport("fastrtps_c").generate(*arguments)
    # Elsewhere, since a file has the name of another one.
    introspection = directory / "introspection" / package
    introspection.mkdir(parents=True)
    GenerateIntrospectionCTypesupport("introspection_c").generate(package, files, includes, introspection)
    GenerateCTypesupport("c", typesupport_implementations=IMPLEMENTATIONS).generate(*arguments)
    GeneratePython("py", typesupport_implementations=["rosidl_typesupport_c"]).generate(*arguments)
    return output


def build(directory, package):
    """Compiles the code of a package as one module of Python."""
    suffix = sysconfig.get_config_var("EXT_SUFFIX")
    module = directory / package / f"{package}_s__rosidl_typesupport_c{suffix}"
    includes = [directory, directory / "introspection", PREFIX / "include", *(PREFIX / "include").iterdir(), numpy.get_include(), sysconfig.get_path("include")]
    flags = ["-O0", "-w", "-fPIC", *(f"-I{include}" for include in includes)]
    sources = [source for folder in (directory / package, directory / "introspection" / package) for source in sorted(folder.rglob("*.c*"))]
    # The headers of C++ are large, and its sources can be one unit; those of C define the same names.
    unit = directory / f"{package}.cpp"
    unit.write_text("".join(f'#include "{source}"\n' for source in sources if source.suffix == ".cpp"))
    objects = []
    for source in [unit, *(source for source in sources if source.suffix == ".c")]:
        objects.append(source.with_suffix(source.suffix + ".o"))
        compiler = "cc" if source.suffix == ".c" else "c++"
        subprocess.run([compiler, *flags, "-c", str(source), "-o", str(objects[-1])], check=True)
    names = [f"{dependency}__{support}" for dependency in DEPENDENCIES for support in SUPPORTS] + RUNTIME
    libraries = [PREFIX / "lib" / f"lib{name}.so" for name in names]
    libraries = [str(library) for library in libraries if library.exists()]
    link = ["c++", "-shared", *map(str, objects), *libraries, f"-Wl,-rpath,{PREFIX / 'lib'}", "-o", str(module)]
    subprocess.run(link, check=True)


def text_of(source):
    """Returns the definitions of a package, and the version of this builder."""
    files = sorted(source.glob("*/*")) + [pathlib.Path(__file__)]
    return "".join(f"{file.name}\n{file.read_text()}\n" for file in files)


def install(source, site):
    with tempfile.TemporaryDirectory() as temporary:
        directory = pathlib.Path(temporary)
        output = generate(source.resolve(), directory)
        build(directory, source.name)
        for made in [*output.rglob("*.py"), *output.glob("*.so")]:
            target = site / source.name / made.relative_to(output)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(made.read_bytes())
    module = next((site / source.name).glob("*.so"))
    for implementation in IMPLEMENTATIONS:
        # ROS looks for each implementation in a library of its own; the module has all of them.
        library = PREFIX / "lib" / f"lib{source.name}__{implementation}.so"
        library.unlink(missing_ok=True)
        library.symlink_to(module)


def main():
    site = pathlib.Path(sysconfig.get_path("purelib"))
    distribution, names = sys.argv[1], sys.argv[2:]
    for source in sorted(pathlib.Path(__file__).with_name("interfaces").iterdir()):
        own = pathlib.Path(__file__).with_name(f"interfaces_{distribution}") / source.name
        source = own if own.is_dir() else source
        built, text = site / source.name / "definitions.txt", text_of(source)
        if names and source.name not in names:
            continue
        if not built.exists() or built.read_text() != text:
            install(source, site)
            built.write_text(text)


main()
