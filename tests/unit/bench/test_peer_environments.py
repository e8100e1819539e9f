"""Peers are installed beside the program, pinned, once; and what cannot be installed is said in a sentence."""

import tomllib
from collections.abc import Mapping, Sequence
from itertools import chain
from pathlib import Path

import pytest
from bench.peers.environments import Environments, PeerMissing, Ran, default_directory, pins
from bench.peers.roster import ROSTER

OWN = [entry.name for entry in ROSTER if entry.own_environment]


class FakePip:
    """A runner that makes the directory `venv` would make and answers for pip as told."""

    def __init__(self, *answers: Ran) -> None:
        self.commands: list[list[str]] = []
        self._answers = list(answers)

    def __call__(self, command: Sequence[str], extra: Mapping[str, str]) -> Ran:
        assert extra["PYTHONNOUSERSITE"] == "1"
        self.commands.append(list(command))
        if "venv" in command:
            Path(command[-1]).mkdir(parents=True)
            return Ran(code=0, said="")
        return self._answers.pop(0) if self._answers else Ran(code=0, said="")


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


def test_what_is_installed_is_not_installed_again(tmp_path: Path) -> None:
    pip = FakePip()
    first = environments(tmp_path, pip).python("mem0")
    assert environments(tmp_path, pip, may_install=False).python("mem0") == first
    assert len(pip.commands) == 2


def test_each_peer_has_its_own(tmp_path: Path) -> None:
    pip = FakePip()
    assert len({environments(tmp_path, pip).python(name) for name in OWN}) == len(OWN) > 1


def test_without_a_network_the_peer_is_missing_and_the_sentence_says_so(tmp_path: Path) -> None:
    said = "WARNING: Retrying after NewConnectionError\nERROR: No matching distribution found for mem0ai==2.2.1\n\n"
    pip = FakePip(Ran(code=1, said=said))
    with pytest.raises(PeerMissing, match=r"mem0 could not be fetched; is there a network.*mem0ai==2\.2\.1"):
        environments(tmp_path, pip).python("mem0")


def test_a_failed_installation_is_told_by_its_last_line_and_made_anew_the_next_time(tmp_path: Path) -> None:
    pip = FakePip(Ran(code=1, said="Building\nerror: no space left on device\n"))
    peers = environments(tmp_path, pip)
    with pytest.raises(PeerMissing, match="mem0 could not be installed: error: no space left on device"):
        peers.python("mem0")
    half_made = Path(pip.commands[0][-1])
    (half_made / "left over").touch()
    assert peers.python("mem0").is_relative_to(half_made)
    assert not (half_made / "left over").exists()


def test_an_environment_with_other_pins_is_made_anew(tmp_path: Path) -> None:
    pip = FakePip()
    peers = environments(tmp_path, pip)
    peers.python("mem0")
    (Path(pip.commands[0][-1]) / "ready.txt").write_text("mem0ai==0.1\n", encoding="utf-8")
    peers.python("mem0")
    assert len(pip.commands) == 4


def test_offline_nothing_is_run(tmp_path: Path) -> None:
    pip = FakePip()
    with pytest.raises(PeerMissing, match=r"not installed in .*without --offline"):
        environments(tmp_path, pip, may_install=False).python("langgraph")
    assert pip.commands == []


def test_environments_are_kept_in_the_cache_directory(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert default_directory().parent == tmp_path


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
