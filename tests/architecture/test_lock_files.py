"""What is installed is pinned with hashes, is the same everywhere, and names no place of whoever made the lock."""

import re
import tomllib
from pathlib import Path

import pytest

_ROOT = Path(__file__).resolve().parents[2]
_LOCKS = ("requirements.lock", "requirements-demo.lock", "requirements-uv.lock")
_PIN = re.compile(
    r"^([a-z0-9-]+)(?:\[[a-z0-9,-]+\])?==([^ ]+)( ;[^\\]*)?((?: \\\n    --hash=sha256:[0-9a-f]{64})+)$", re.MULTILINE
)
_OF_A_PLACE = re.compile(r"://|--(?:extra-)?index-url|--find-links|--trusted-host|(?:^|[ @])/[a-z]", re.MULTILINE)


def _pins(lock: str) -> set[tuple[str, str]]:
    return {(found[1], found[2]) for found in _PIN.finditer((_ROOT / lock).read_text("utf-8"))}


def _names(requirements: list[str]) -> set[str]:
    found = {re.match(r"[a-z0-9-]+", each) for each in requirements}
    return {each[0] for each in found if each}


@pytest.mark.requirement("install:locked")
@pytest.mark.parametrize("lock", _LOCKS)
def test_every_package_is_pinned_with_hashes_and_no_address_is_named(lock: str) -> None:
    text = (_ROOT / lock).read_text("utf-8")
    assert _pins(lock)
    assert len(_PIN.findall(text)) == len(re.findall(r"^[^\s#]", text, flags=re.MULTILINE))
    assert not _OF_A_PLACE.search(text)
    assert _OF_A_PLACE.search("--index-url https://example.org/simple")


@pytest.mark.requirement("install:locked")
def test_what_the_demo_installs_is_a_part_of_what_developers_have() -> None:
    assert _pins("requirements-demo.lock") < _pins("requirements.lock")
    assert _pins("requirements-uv.lock") < _pins("requirements.lock")


@pytest.mark.requirement("install:first-minute")
def test_the_demo_installs_what_works_offline_and_none_of_the_extras() -> None:
    project = tomllib.loads((_ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = set[str]().union(*(_names(each) for each in project["optional-dependencies"].values()))
    installed = {name for name, _ in _pins("requirements-demo.lock")}
    assert _names(project["dependencies"]) <= installed
    assert extras.isdisjoint(installed)
