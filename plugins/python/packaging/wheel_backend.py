"""Makes the package, for `pip install`. maturin builds the native core and the wheel around it.

`pip install --config-settings pure=true` makes a wheel without the native core, a zip of the files under `src`: it has the
builder scripts, the launcher and the client, and nothing has to be fetched or compiled for it. Besides the package it puts a `.pth` file beside it, by which `pymorse` and `morse` are there for who has no MORSE, and
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


def _is_pure(config_settings):
    said = (config_settings or {}).get("pure", "false")
    if said not in ("true", "false"):
        raise ValueError(f"`pure` is `true` or `false`, not `{said}`")
    return said == "true"


def get_requires_for_build_wheel(config_settings=None):
    """Needed to build the wheel."""
    return [] if _is_pure(config_settings) else ["maturin>=1.9,<2"]


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """`pip install ./plugins/python`"""
    if _is_pure(config_settings):
        return _wheel(wheel_directory, _package())
    import maturin

    return maturin.build_wheel(wheel_directory, {}, metadata_directory)


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
