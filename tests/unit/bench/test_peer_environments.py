"""Peers are installed beside the program, each in an environment of its own, pinned."""

import tomllib
from collections.abc import Mapping, Sequence
from itertools import chain
from pathlib import Path

import pytest
from bench.peers.environments import Environments, PeerMissing, Ran, pins
from bench.peers.roster import ROSTER

OWN = [entry.name for entry in ROSTER if entry.own_environment]


class FakePip:
    """A runner that makes the directory `venv` would make and lets pip install."""

    def __init__(self) -> None:
        self.commands: list[list[str]] = []

    def __call__(self, command: Sequence[str], extra: Mapping[str, str]) -> Ran:
        assert extra["PYTHONNOUSERSITE"] == "1"
        self.commands.append(list(command))
        if "venv" in command:
            Path(command[-1]).mkdir(parents=True)
        return Ran(code=0, said="")


def environments(directory: Path, pip: FakePip, *, may_install: bool = True) -> Environments:
    return Environments(directory=directory, may_install=may_install, run=pip)


def test_a_peer_is_installed_into_an_environment_of_its_own_from_pins_alone(tmp_path: Path) -> None:
    pip = FakePip()
    python = environments(tmp_path, pip).python("mem0")
    made, installed = pip.commands
    place = Path(made[-1])
    assert place.parent == tmp_path
    assert python.is_relative_to(place)
    assert installed[0] == str(python)
    assert installed[1:4] == ["-m", "pip", "install"]
    assert "--no-deps" in installed
    assert Path(installed[-1]).read_text("utf-8") == pins("mem0")


def test_each_peer_has_its_own(tmp_path: Path) -> None:
    pip = FakePip()
    assert len({environments(tmp_path, pip).python(name) for name in OWN}) == len(OWN) > 1


def test_offline_nothing_is_run(tmp_path: Path) -> None:
    pip = FakePip()
    with pytest.raises(PeerMissing, match=r"not installed in .*without --offline"):
        environments(tmp_path, pip, may_install=False).python("langgraph")
    assert pip.commands == []


@pytest.mark.parametrize("peer", OWN)
def test_every_package_is_pinned(peer: str) -> None:
    assert [line for line in pins(peer).splitlines() if "==" not in line] == []
    assert pins(peer).splitlines()


def test_nothing_of_a_peer_is_a_dependency_of_the_program() -> None:
    read = tomllib.loads(Path(__file__).parents[3].joinpath("pyproject.toml").read_text("utf-8"))
    project = read["project"]
    extras = project["optional-dependencies"]
    every = [*project["dependencies"], *chain.from_iterable(extras[name] for name in extras if name != "langgraph")]
    theirs = ("mem0ai", "qdrant-client", "langgraph", "sqlite-vec", "pysqlite3")
    assert [name for name in every if name.startswith(theirs)] == []
    assert any(name.startswith("surrealdb") for name in every)
