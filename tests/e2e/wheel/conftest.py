"""The wheel, built once; and a registry to install from, where there is one."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built wheel."""
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    subprocess.run(build, check=True, capture_output=True, text=True)
    (built,) = folder.glob("inner_voice-*.whl")
    return built


@pytest.fixture(scope="session")
def outside(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """An environment with an empty home and nothing of this one's but how it reaches a registry."""
    reach = {name: value for name, value in os.environ.items() if name.startswith(("PIP_", "UV_", "SSL_"))}
    return reach | {"HOME": str(tmp_path_factory.mktemp("home")), "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"}


@pytest.fixture(scope="session")
def pipx(tmp_path_factory: pytest.TempPathFactory, outside: dict[str, str]) -> Path:
    """pipx, from the registry; without a registry nothing here can be installed, and the tests say so."""
    place = tmp_path_factory.mktemp("pipx")
    subprocess.run([sys.executable, "-m", "venv", str(place)], check=True, capture_output=True, env=outside)
    command = [str(place / "bin" / "python"), "-m", "pip", "install", "--quiet", "pipx"]
    done = subprocess.run(command, capture_output=True, text=True, env=outside, check=False)
    if done.returncode:
        pytest.skip(f"no registry gave pipx: {done.stderr.strip().splitlines()[-1]}")
    return place / "bin" / "pipx"
