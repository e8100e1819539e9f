"""Every block of code on every page runs, and prints what the page shows."""

import json
import re
import tomllib
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import cast

import pytest
import yaml
from jsonschema import Draft202012Validator

from cli_runner import SETTINGS
from docs_pages import ROOT, Block, blocks, pages, parse_blocks
from docs_shell import Shell, commands, copied, is_shown
from tiers import made_for_many

WORLDS = Path(__file__).parent / "worlds"
SCHEMAS = ROOT / "src" / "voice" / "schemas"
RUN = {"sh", "console"}
READ: dict[str, Callable[[str], object]] = {
    "json": json.loads,
    "jsonl": lambda text: [json.loads(line) for line in text.splitlines()],
    "toml": tomllib.loads,
    "yaml": yaml.safe_load,
}
SHOWN = {"text", "markdown", "mbox"}
"""What is no code: layouts, formulas, files of other programs, which a page's own tests read."""
NOT_RUN = Counter(
    {
        ("README.md", "it installs the program; CI runs the first two in a fresh clone"): 1,
        ("docs/index.md", "CI runs both, in a fresh clone"): 1,
        ("docs/import.md", "it goes on until it is stopped"): 1,
        ("docs/archive.md", "it shows a program that is not ours (DuckDB)"): 1,
        ("docs/corrections.md", "what is found depends on your notes"): 1,
        ("docs/howto/check.md", "it needs a key and asks a provider"): 1,
        ("docs/howto/check.md", "it shows a program that is not ours"): 1,
        ("docs/howto/providers.md", "it needs a key and asks a provider"): 1,
        ("docs/verifiers.md", "it needs a key and asks a provider"): 1,
        ("docs/real-model.md", "it asks a real model for hours"): 1,
        ("docs/tutorial.md", "it installs the program that these tests run"): 1,
        ("docs/howto/install.md", "they install the program that these tests run"): 2,
    }
)
"""How many blocks of a page cannot run here, for each reason; a new one needs a better reason than haste."""
MOST_NOT_RUN = 13
READ_ELSEWHERE = {"docs/cli.md", "docs/http.md", "docs/howto/frameworks.md"}
"""Each command reads its own examples (test_cli_page.py); requests need a server (test_http_page.py);
frameworks need an open memory (tests/integration/integrations/test_page.py)."""
LONG = {
    "README.md",
    "docs/archive.md",
    "docs/auditing.md",
    "docs/howto/check.md",
    "docs/howto/move.md",
    "docs/howto/program.md",
    "docs/observability.md",
    "docs/recall.md",
    "docs/tutorial.md",
}
"""What takes more than a second to follow."""
DEFAULT_WORLD = "kiln"
TYPED_AS_IT_STANDS = {"docs/tutorial.md"}
"""Whoever follows these types what is printed there, ids and all."""


@pytest.fixture(scope="session")
def worlds(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Shell]:
    made: dict[str, Shell] = {}

    def world(name: str) -> Shell:
        if name not in made:
            script = (WORLDS / f"{name}.sh").read_text(encoding="utf-8") if name != "nothing" else ""
            with made_for_many():
                made[name] = begun(name, script, tmp_path_factory.mktemp("world") / name)
        return made[name]

    def begun(name: str, script: str, folder: Path) -> Shell:
        if earlier := re.match("# world: (.*)\n", script):
            shell = copied(world(earlier[1]), folder)
        else:
            shell = Shell(folder)
            shell.work.mkdir(parents=True)
            (shell.work / "sessions").symlink_to(ROOT / "sessions")
            if name != "nothing":
                shell.memory.mkdir(mode=0o700)
                (shell.memory / "voice.toml").write_text(SETTINGS, encoding="utf-8")
        follow(shell, next(parse_blocks(name, f"```sh\n{script}```\n")))
        return shell

    return world


def follow(shell: Shell, block: Block) -> None:
    """Run the commands of a block as a reader would."""
    ends = [int(code) for code in block.notes.get("exit", "0").split()]
    typed = block.notes.get("input", "").replace("\\n", "\n")
    for number, (command, shown) in enumerate(commands(block)):
        one = (
            copied(shell, shell.folder.parent / f"{shell.folder.name}-{block.line}-{number}")
            if "each" in block.notes
            else shell
        )
        ran = one.run(command, typed)
        told = f"{block.place}: {command}\n--- exit {ran.code}\n{ran.out}\n--- stderr\n{ran.err}"
        assert ran.code == ends[min(number, len(ends) - 1)], told
        assert shown is None or is_shown(shown, ran.out + ran.err), f"{told}\n--- the page shows\n{shown}"


def run_program(shell: Shell, block: Block) -> None:
    ran = shell.program(block.text)
    assert (ran.code, ran.err) == (0, ""), f"{block.place}\n{ran.out}\n{ran.err}"
    if (shown := block.notes.get("prints")) is not None:
        assert is_shown(shown, ran.out), f"{block.place}\n{ran.out}"


def read(block: Block) -> None:
    """Parse a block, and hold it against the schema that it names."""
    value = READ[block.kind](block.text)
    if name := block.notes.get("schema"):
        schema = json.loads((SCHEMAS / f"{name}.schema.json").read_text(encoding="utf-8"))
        lines: list[object] = cast("list[object]", value) if block.kind == "jsonl" else [value]
        for one in lines:
            Draft202012Validator(schema).validate(one)  # pyright: ignore[reportUnknownMemberType] - stubs leave it open


def write(shell: Shell, *files: Block) -> None:
    for block in files:
        path = shell.work / block.notes["file"]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(block.text, encoding="utf-8")


@pytest.mark.requirement("docs:runs", "docs:literal")
@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, marks=pytest.mark.slow if page in LONG else ())
        for page in pages()
        if blocks(page) and page not in READ_ELSEWHERE
    ],
)
def test_every_block_of_the_page_runs_and_prints_what_it_shows(
    page: str, worlds: Callable[[str], Shell], tmp_path: Path
) -> None:
    shell = copied(worlds(DEFAULT_WORLD), tmp_path / "begin")
    given = {block.notes["file"]: block for block in reversed(blocks(page)) if "file" in block.notes}
    write(shell, *given.values())
    section = None
    for block in blocks(page):
        if "world" in block.notes:
            shell = copied(worlds(block.notes["world"]), tmp_path / f"from-{block.line}")
            write(shell, *given.values())
        if block.section != section:
            section = block.section
            write(shell, *(one for one in blocks(page) if one.section == section and "file" in one.notes))
        if "not run" in block.notes or block.kind in SHOWN:
            continue
        if block.kind in RUN:
            follow(shell, block)
        elif block.kind == "python":
            run_program(shell, block)
        else:
            read(block)
        assert not (shell.meant and page in TYPED_AS_IT_STANDS), f"{block.place}: a reader has other ids: {shell.meant}"


@pytest.mark.requirement("docs:runs")
def test_every_block_says_what_it_is() -> None:
    known = RUN | READ.keys() | SHOWN | {"python"}
    strange = [block for page in pages() for block in blocks(page) if block.kind not in known]
    assert [f"{block.place}: {block.kind!r}" for block in strange if "not run" not in block.notes] == []
    dressed = [block.place for page in pages() for block in blocks(page) if block.kind == "text" and is_command(block)]
    assert dressed == [], "a command that is shown as a text is not run"
    assert any(is_command(block) for page in pages() for block in blocks(page))


def is_command(block: Block) -> bool:
    return any(re.match(r"(\w+=\S* )*(voice|\$|make|python3?) ", line) for line in block.text.splitlines())


@pytest.mark.requirement("docs:runs")
def test_what_cannot_run_here_is_known_and_little() -> None:
    noted = [block for page in pages() for block in blocks(page) if "not run" in block.notes]
    assert Counter((block.page, block.notes["not run"]) for block in noted) == NOT_RUN
    assert len(noted) <= MOST_NOT_RUN
