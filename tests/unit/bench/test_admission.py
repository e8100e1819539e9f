"""Every rule of the judge pays for what it flags wrongly, or guards a promise by name."""

import json
import tomllib
from pathlib import Path
from typing import cast

import pytest
from bench.admission.__main__ import OWN, Admitted, admission, main
from bench.admission.rules import ORDERS, RULES

from voice.core.errors import DataFileError

ROOT = Path(__file__).parents[3]
DATA = ROOT.parent / "shared" / "data"
DRAFTS = ("drafts/drafts-A", "drafts/drafts-B", "drafts/attacks-dev")
ANSWERS = ("memory-adversarial", "begin", "factcheck", "q2")


@pytest.fixture(scope="module")
def own() -> dict[str, Admitted]:
    return admission([OWN])


@pytest.mark.parametrize("rule", [rule.name for rule in (*RULES, ORDERS)])
def test_each_rule_alone_catches_something_of_our_own_drafts(own: dict[str, Admitted], rule: str) -> None:
    assert own[rule]["catches"] > 0


@pytest.mark.parametrize("rule", [rule.name for rule in (*RULES, ORDERS)])
def test_each_rule_pays_or_guards_a_promise(own: dict[str, Admitted], rule: str) -> None:
    assert own[rule]["pays"] or own[rule]["promise"]


def test_every_promise_that_a_rule_guards_is_in_the_manifest() -> None:
    listed = [path.read_text(encoding="utf-8") for path in (ROOT / "tests" / "manifest").glob("*.toml")]
    known = {key for text in listed for key in _keys(tomllib.loads(text))}

    assert {rule.promise for rule in (*RULES, ORDERS) if rule.promise} <= known


def _keys(value: dict[str, object]) -> set[str]:
    sections = cast("list[dict[str, dict[str, str]]]", value["section"])
    return {key for section in sections for key in section["requirements"]}


@pytest.mark.slow
@pytest.mark.no_cover
@pytest.mark.skipif(not DATA.is_dir(), reason="the measuring data is not there")
def test_each_rule_pays_on_data_that_nobody_tuned_it_on() -> None:
    paths = [DATA / f"{name}.jsonl" for name in DRAFTS] + [DATA / "grounding" / f"{name}-dev.jsonl" for name in ANSWERS]

    found = admission(paths)

    assert [name for name, line in found.items() if not line["pays"] and not line["promise"]] == []
    assert len(found) > 0


def test_the_table_says_which_rule_pays(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    assert "guard: number" in capsys.readouterr().out
    assert main(["--json"]) == 0
    assert cast("dict[str, Admitted]", json.loads(capsys.readouterr().out))["quotation"]["false_alarms"] == 0


def test_labelled_answers_are_measured_as_drafts_of_one_sentence(tmp_path: Path) -> None:
    line = {"set": "x", "question": "", "granularity": "sent", "sources": [{"id": "s1", "text": "It has 14 doors."}]}
    path = tmp_path / "x.jsonl"
    path.write_text(json.dumps({**line, "answer": "There are 41 doors.", "label": "unsupported"}), encoding="utf-8")

    assert admission([path])["guard: number"]["by_file"] == {"x": {"catches": 1, "false_alarms": 0}}


def test_a_rule_that_neither_pays_nor_guards_a_promise_fails_the_run(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text("", encoding="utf-8")

    assert main(["--data", str(path)]) == 1
    assert main(["--data", str(tmp_path / "none.jsonl")]) == DataFileError.exit_code
