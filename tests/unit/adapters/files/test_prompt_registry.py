"""The registry's own files: what is pinned is what is there."""

import ast
import re
import shutil
from pathlib import Path

import click
import pytest
from tools.prompts import main

from tables import tables
from voice.adapters.files import prompts
from voice.adapters.files.prompt_registry import load_registry
from voice.adapters.files.prompts import load_prompts
from voice.core.context.prompt_templates import check_templates, latest_template
from voice.core.context.question import PROMPT_OF_STANCE
from voice.core.errors import ConfigurationError
from voice.core.grounding.values import Stance
from voice.entrypoints.cli.main import cli

TABLES = tables(__file__)

SOURCES = Path(prompts.__file__).resolve().parents[3]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    copied = tmp_path / "prompts"
    shutil.copytree(prompts.prompts_folder(), copied)
    monkeypatch.setattr(prompts, "prompts_folder", lambda: copied)
    monkeypatch.setattr("voice.adapters.files.prompt_registry.prompts_folder", lambda: copied)
    return copied


@pytest.mark.requirement("prompts:pinned", "prompts:snapshots")
def test_every_released_prompt_is_what_was_pinned_and_renders_as_its_snapshot() -> None:
    checked = check_templates(load_prompts(), load_registry())
    assert [each for each in checked if each.fault] == []
    assert len(checked) > 0


def is_command(path: str) -> bool:
    """Whether the words of `path` lead through the program's groups to a command."""
    found: click.Command | None = cli
    for word in path.split():
        found = found.get_command(click.Context(found), word) if isinstance(found, click.Group) else None
    return found is not None


@pytest.mark.requirement("prompts:registry")
def test_where_a_prompt_is_used_is_true_of_the_program() -> None:
    registry, templates = load_registry(), load_prompts()
    assert set(registry.uses) == {template.name for template in templates}
    for name, use in registry.uses.items():
        ast.parse((SOURCES / use.module).read_text(encoding="utf-8"))
        assert all(map(is_command, use.commands))
        header = re.search(r"^stance: (.*)$", latest_template(templates, name).text, re.MULTILINE)
        assert use.stance == (header[1] if header else None)
    stances = {Stance(use.stance): name for name, use in registry.uses.items() if use.stance}
    assert stances == PROMPT_OF_STANCE


@pytest.mark.requirement("prompts:pinned")
def test_a_new_version_is_pinned_and_kept_as_a_snapshot_and_nothing_else_changes(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    version = max(each.version for each in load_prompts() if each.name == "repair")
    text = (folder / f"repair.v{version}.md").read_text(encoding="utf-8")
    new = text.replace(f"version: {version}\n", f"version: {version + 1}\n") + "Be brief: $fault\n"
    (folder / f"repair.v{version + 1}.md").write_text(new, encoding="utf-8")
    pins = (folder / "registry.toml").read_text(encoding="utf-8")
    assert (main(["test"]), main(["release"])) == (1, 0)
    label, pinned = capsys.readouterr().out.split()[-2:]
    assert label == f"repair.v{version + 1}"
    assert (folder / "registry.toml").read_text(encoding="utf-8") == f'{pins}"{label}" = "{pinned}"\n'
    assert "Be brief: $prompt" in (folder / "snapshots" / f"repair.v{version + 1}.txt").read_text(encoding="utf-8")
    assert not any(each.fault for each in check_templates(load_prompts(), load_registry()))


@pytest.mark.requirement("prompts:pinned")
def test_a_snapshot_that_was_thrown_away_is_made_again_without_another_pin(folder: Path) -> None:
    (folder / "snapshots" / "repair.v1.txt").unlink()
    registry = load_registry()
    assert main(["release"]) == 0
    assert load_registry().pinned == registry.pinned
    assert not any(each.fault for each in check_templates(load_prompts(), load_registry()))


@pytest.mark.requirement("prompts:registry")
@pytest.mark.parametrize(("name", "text", "fault"), TABLES["a_registry_that_cannot_be_read_says_which_file"])
def test_a_registry_that_cannot_be_read_says_which_file(folder: Path, name: str, text: str | None, fault: str) -> None:
    if text is None:
        (folder / name).unlink()
    else:
        (folder / name).write_text(text)
    with pytest.raises(ConfigurationError, match=fault):
        load_registry()


def test_prompts_are_compared(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["diff", "answer.v1", "answer.v3"]) == main(["diff", "answer.v2"]) == 0
    assert re.findall("^[-+]{3} .*", capsys.readouterr().out, re.MULTILINE)[::2] == ["--- answer.v1"] * 2
    assert main(["diff", "answer.v1"]) == 2
    assert "is the first version" in capsys.readouterr().err


@pytest.mark.requirement("prompts:snapshots", "prompts:pinned")
def test_the_exit_code_of_a_test_tells_whether_prompts_are_as_released(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["test"]) == main(["release"]) == 0
    assert capsys.readouterr().out.endswith("as released\nthere is nothing new\n")
    (folder / "repair.v1.md").write_text((folder / "repair.v1.md").read_text() + "Please.\n")
    snapshot = folder / "snapshots" / "repair.v2.txt"
    snapshot.write_text(snapshot.read_text().replace("in the shape", "in a shape"))
    assert main(["test"]) == 1
    out = capsys.readouterr().out
    assert "repair.v1      changed: a released version never changes" in out
    assert "+Reply again with one JSON object in the shape you were given" in out
    assert main(["release"]) == 4
