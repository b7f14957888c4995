"""Builds the wheel of rmap.py (PEP 517), which needs no package but the standard library: pip wheel --no-index --no-deps python

NumPy is not named as a requirement, since a wheel whose requirements are met offline is wanted; importing rmap without NumPy fails in words.
"""

import base64
import hashlib
import tomllib
import zipfile
from pathlib import Path

HERE = Path(__file__).parent


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    project = tomllib.loads((HERE / "pyproject.toml").read_text())["project"]
    base = f"{project['name'].replace('-', '_')}-{project['version']}"
    info = f"{base}.dist-info"
    metadata = "\n".join(
        [
            "Metadata-Version: 2.1",
            f"Name: {project['name']}",
            f"Version: {project['version']}",
            f"Summary: {project['description']}",
            f"License: {project['license']['text']}",
            f"Requires-Python: {project['requires-python']}",
            "",
        ]
    )
    files = {
        "rmap.py": (HERE / "rmap.py").read_bytes(),
        f"{info}/METADATA": metadata.encode(),
        f"{info}/WHEEL": b"Wheel-Version: 1.0\nGenerator: build_wheel\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = [f"{name},sha256={_digest(data)},{len(data)}" for name, data in files.items()]
    files[f"{info}/RECORD"] = "\n".join([*record, f"{info}/RECORD,,", ""]).encode()
    wheel = f"{base}-py3-none-any.whl"
    with zipfile.ZipFile(Path(wheel_directory) / wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            # The same bytes from the same files.
            archive.writestr(zipfile.ZipInfo(name), data)
    return wheel


def _digest(data):
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
