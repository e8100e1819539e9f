"""What must not be in the repository, nor run at the start of an interpreter."""

import re
import sysconfig
from collections.abc import Iterator
from pathlib import Path

import pytest

_ROOT = Path(__file__).resolve().parents[2]
_FOLDERS = ("src", "tests", "prompts", "docs", "bench", "sessions", ".ci")
_TEXT = {
    ".py", ".md", ".toml", ".surql", ".json", ".jsonl", ".html", ".css", ".js", ".yml", ".yaml", ".txt", ".lock", "",
}  # fmt: skip

# One letter of each stands in brackets, so that this list does not find itself.
_FOREIGN: dict[str, str] = {
    "a directory of the machine it was written on": r"/(?:wor[k]|far[m])/|/tmp/[v]/|/opt/(?:pyp[i]|wheel[s])",
    "the number of a work item": r"\bissues? (?:no\.? ?|number )?#?[0-9]+\b|\bissues sho[w]",
    "who or what wrote it": r"\bsub-?agent[s]?\b|\bas an (?:AI|LL[M])\b|\ba-see[d]-",
    "a document that is not in it": r"\b(?:BRIEF|RULINGS|DESIGN|STYLE|ECOSYSTEM|SURREAL|GROUNDING|MODELS)\.m[d]\b",
}
_SAID: dict[str, str] = {
    "a directory of the machine it was written on": "read /wor" + "k/main",
    "the number of a work item": "see iss" + "ue 12",
    "who or what wrote it": "by a sub" + "agent",
    "a document that is not in it": "the DESI" + "GN.md",
}
"""What each of these would find."""
_KNOWN_START_HOOKS = {"a1_coverage.pth", "distutils-precedence.pth", "_virtualenv.pth"}


def _texts() -> Iterator[tuple[str, str]]:
    inside = [path for folder in _FOLDERS for path in (_ROOT / folder).rglob("*")]
    for path in sorted([*inside, *_ROOT.glob("[!.]*")]):
        if path.is_file() and path.suffix in _TEXT and "__pycache__" not in path.parts:
            yield str(path.relative_to(_ROOT)), path.read_text(encoding="utf-8", errors="replace")


@pytest.mark.parametrize("what", sorted(_FOREIGN))
def test_the_repository_speaks_of_the_project_alone(what: str) -> None:
    pattern = re.compile(_FOREIGN[what])
    found = [
        f"{name}:{number}: {line.strip()[:100]}"
        for name, content in _texts()
        for number, line in enumerate(content.splitlines(), start=1)
        if pattern.search(line)
    ]
    assert found == []
    assert pattern.search(_SAID[what])


@pytest.mark.parametrize(
    ("what", "line"),
    [
        ("a directory of the machine it was written on", "see /wo" + "rk/notes"),
        ("the number of a work item", "as issu" + "e 7 asks"),
        ("who or what wrote it", "a sub" + "agent did this"),
        ("a document that is not in it", "see DES" + "IGN.md"),
    ],
)
def test_each_pattern_finds_what_it_is_for(what: str, line: str) -> None:
    assert re.search(_FOREIGN[what], line)


def test_nothing_unexpected_runs_when_an_interpreter_starts() -> None:
    """A `.pth` file runs code at every start; a poisoned litellm release once came with one (1.82.7)."""
    folders = {Path(sysconfig.get_path(name)) for name in ("purelib", "platlib")}
    hooks = [
        path.name
        for folder in folders
        for path in folder.glob("*.pth")
        if re.search(r"^import[ \t]", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    ]
    assert set(hooks) - _KNOWN_START_HOOKS == set()
    assert re.search(r"^import[ \t]", "import os; os.getcwd()", flags=re.MULTILINE)
