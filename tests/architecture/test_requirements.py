"""The manifest is whole, and tests and manifest know each other."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from requirements import ManifestFault, Requirement, citations, early, load, missing, unknown

_SUBJECTS = (
    "grounding", "orders", "house", "reranker", "answers", "sessions", "report", "prompts", "tokens", "spending",
    "start", "observe", "imports", "capture", "forget", "stream", "holder", "install", "server", "mcp", "requests",
    "http", "web", "cli", "docs", "bounded", "frameworks", "conflicts",
)  # fmt: skip
"""What the project promises beyond the design's ten promises, by subject."""
_ONE = """
document = "a spec"
[[section]]
source = "a section"
deferred = "lasting sessions"
[section.requirements]
"x:1" = "one"
"x:2" = {{ behaviour = "two", superseded_by = "{by}" }}
"""


def _manifest(folder: Path, text: str, name: str = "a.toml") -> Path:
    (folder / name).write_text(text, encoding="utf-8")
    return folder


@pytest.mark.requirement("ruling:H.12")
def test_every_promise_ruling_and_spec_is_in_the_manifest() -> None:
    ids = load().keys()
    assert {f"promise:{n}" for n in range(1, 11)} <= ids
    heads = {id_.split(":")[0] for id_ in ids}
    assert heads <= {"promise", "ruling", *_SUBJECTS, "s0", "s1", "s2", "s3", "s4"}
    assert {id_.removeprefix("ruling:")[0] for id_ in ids if id_.startswith("ruling:")} == set("ABCDEFGHIJ")


@pytest.fixture(scope="module")
def cited() -> Mapping[str, set[str]]:
    return citations()


def test_every_cited_requirement_exists(cited: Mapping[str, set[str]]) -> None:
    assert unknown(load(), cited) == []
    assert unknown(load(), ["x:1"]) == ["x:1"]


def test_every_delivered_requirement_is_cited(cited: Mapping[str, set[str]]) -> None:
    assert [f"{r.id}: {r.behaviour}" for r in missing(load(), cited)] == []
    assert len(missing(load(), [])) == sum(requirement.is_due for requirement in load().values()) > 0


def test_every_behaviour_is_a_sentence() -> None:
    assert [r.id for r in load().values() if not r.behaviour.endswith(".") or len(r.behaviour) < 15] == []
    assert len(load()) > 100


def test_a_section_defers_its_requirements_but_not_the_superseded_ones(tmp_path: Path) -> None:
    found = load(_manifest(tmp_path, _ONE.format(by="x:1")))
    assert found["x:1"] == Requirement(
        id="x:1", source="a spec, a section", behaviour="one", deferred="lasting sessions"
    )
    assert (found["x:2"].deferred, found["x:2"].superseded_by, found["x:2"].is_due) == (None, "x:1", False)


@pytest.mark.parametrize("by", ["x:9", "x:2"])
def test_a_requirement_is_superseded_only_by_one_that_stands(tmp_path: Path, by: str) -> None:
    with pytest.raises(ManifestFault, match="does not stand"):
        load(_manifest(tmp_path, _ONE.format(by=by)))


def test_an_id_appears_once(tmp_path: Path) -> None:
    _manifest(tmp_path, _ONE.format(by="x:1"))
    with pytest.raises(ManifestFault, match="twice"):
        load(_manifest(tmp_path, _ONE.format(by="x:1"), "b.toml"))


def test_a_requirement_waits_only_for_a_known_subject(tmp_path: Path) -> None:
    with pytest.raises(ManifestFault, match="no subject"):
        load(_manifest(tmp_path, _ONE.format(by="x:1").replace("lasting sessions", "some day")))


def test_citations_are_read_from_decorators_module_marks_and_parameters(tmp_path: Path) -> None:
    mark = "pytest.mark.requirement"
    (tmp_path / "test_a.py").write_text(
        f'pytestmark = [{mark}("x:1")]\n'
        f'@{mark}("x:2", "x:3")\ndef test(): ...\n'
        f'p = pytest.param(1, marks={mark}("x:4"))\n',
        encoding="utf-8",
    )
    assert citations(tmp_path) == {f"x:{n}": {"test_a.py"} for n in range(1, 5)}


def test_a_computed_id_is_refused_because_it_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "test_a.py").write_text("pytestmark = pytest.mark.requirement(f'x:{1}')\n", encoding="utf-8")
    with pytest.raises(ManifestFault, match="not written out"):
        citations(tmp_path)


def test_missing_unknown_and_early_are_told_apart() -> None:
    due = Requirement(id="x:1", source="s", behaviour="b")
    later = Requirement(id="x:2", source="s", behaviour="b", deferred="lasting sessions")
    known = {r.id: r for r in (due, later)}
    assert (missing(known, []), missing(known, ["x:1"])) == ([due], [])
    assert unknown(known, ["x:1", "x:3"]) == ["x:3"]
    assert early(known, ["x:1", "x:2", "x:3"]) == [later]
