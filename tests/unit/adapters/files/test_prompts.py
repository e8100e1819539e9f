"""The prompts come from the package and nowhere else."""

from pathlib import Path

import pytest

from voice.adapters.files import prompts
from voice.core.context.question import PROMPT_OF_STANCE
from voice.core.errors import ConfigurationError


@pytest.mark.requirement("s2:checklist:prompt-registry")
def test_every_prompt_that_a_turn_needs_is_released_and_no_version_is_missing() -> None:
    found = prompts.load_prompts()
    assert {*PROMPT_OF_STANCE.values(), "repair"} <= {template.name for template in found}
    assert [(t.name, t.version) for t in found] == sorted((t.name, t.version) for t in found)
    for name in {template.name for template in found}:
        versions = [template.version for template in found if template.name == name]
        assert versions == list(range(1, len(versions) + 1))


def test_a_package_without_prompts_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "README.md").write_text("no prompt", encoding="utf-8")
    monkeypatch.setattr(prompts, "prompts_folder", lambda: tmp_path)
    with pytest.raises(ConfigurationError, match="holds no prompts"):
        prompts.load_prompts()
