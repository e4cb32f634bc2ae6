"""Makes the package, for `pip install`: a wheel is a zip of the files under `src`. Nothing has to be fetched for it.

Besides the package it puts a `.pth` file beside it, by which `pymorse` and `morse` are there for who has no MORSE, and
MORSE's own client can close. Where the package was made from is written down, for parts of one's own are built from there.
"""
import base64
import hashlib
import io
import os
import re
import tarfile
import zipfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SOURCE = os.path.join(ROOT, "src")
NAME = "morse_sim"
AT_START = "import morse_sim.pymorse_closes, morse_sim.stand_in\n"
REPOSITORY = os.path.dirname(os.path.dirname(os.path.realpath(ROOT)))


def _said(field):
    """A field of pyproject.toml; its few lines need no parser."""
    with open(os.path.join(ROOT, "pyproject.toml"), encoding="utf-8") as file:
        return re.search(rf'^{field} = "([^"]*)"', file.read(), re.MULTILINE).group(1)


def _metadata():
    version = _said("version")
    with open(os.path.join(ROOT, "README.md"), encoding="utf-8") as file:
        readme = file.read()
    head = {
        "Metadata-Version": "2.1",
        "Name": "morse-sim",
        "Version": version,
        "Summary": _said("description"),
        "License": "MIT OR Apache-2.0",
        "Requires-Python": _said("requires-python"),
        "Description-Content-Type": "text/markdown",
    }
    info = f"{NAME}-{version}.dist-info"
    metadata = "".join(f"{name}: {value}\n" for name, value in head.items()) + "\n" + readme
    return info, {
        f"{info}/METADATA": metadata,
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: morse-sim\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/entry_points.txt": "[console_scripts]\nmorse = morse_sim.launcher:main\n",
    }


def _package():
    files = {}
    for folder, folders, names in os.walk(SOURCE):
        folders[:] = sorted(each for each in folders if each != "__pycache__" and not each.endswith(".egg-info"))
        for name in sorted(names):
            if name.endswith((".py", ".typed")):
                path = os.path.join(folder, name)
                with open(path, encoding="utf-8") as file:
                    files[os.path.relpath(path, SOURCE).replace(os.sep, "/")] = file.read()
    return files


def _wheel(directory, files):
    info, metadata = _metadata()
    if os.path.isdir(os.path.join(REPOSITORY, "plugins", "api")):
        metadata[f"{info}/repository.txt"] = REPOSITORY + "\n"
    files = {**files, f"{NAME}_pymorse.pth": AT_START, **metadata}
    record = ""
    name = f"{NAME}-{_said('version')}-py3-none-any.whl"
    with zipfile.ZipFile(os.path.join(directory, name), "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, text in files.items():
            data = text.encode()
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            record += f"{path},sha256={digest},{len(data)}\n"
            wheel.writestr(path, data)
        wheel.writestr(f"{info}/RECORD", record + f"{info}/RECORD,,\n")
    return name


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """`pip install ./plugins/python`"""
    return _wheel(wheel_directory, _package())


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    """`pip install -e ./plugins/python`: the files stay where they are."""
    return _wheel(wheel_directory, {f"{NAME}_here.pth": SOURCE + "\n"})


def build_sdist(sdist_directory, config_settings=None):
    """The sources as an archive."""
    base = f"{NAME}-{_said('version')}"
    _info, metadata = _metadata()
    with tarfile.open(os.path.join(sdist_directory, f"{base}.tar.gz"), "w:gz") as archive:
        for name in ("pyproject.toml", "README.md", "src", "packaging"):
            archive.add(os.path.join(ROOT, name), f"{base}/{name}", filter=_without_caches)
        data = next(text for path, text in metadata.items() if path.endswith("METADATA")).encode()
        entry = tarfile.TarInfo(f"{base}/PKG-INFO")
        entry.size = len(data)
        archive.addfile(entry, io.BytesIO(data))
    return f"{base}.tar.gz"


def _without_caches(entry):
    return None if "__pycache__" in entry.name else entry
