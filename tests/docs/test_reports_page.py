"""docs/reports.md and docs/prompts.md say what the program does."""

import json
import re
from pathlib import Path
from typing import get_args

import pytest

from voice.adapters.files.price_table import read_price_table
from voice.core.context.prompt_templates import WHAT_TO_DO, TemplateFault
from voice.core.report.values import Dimension

ROOT = Path(__file__).resolve().parents[2]
REPORTS = (ROOT / "docs" / "reports.md").read_text(encoding="utf-8")
PROMPTS = (ROOT / "docs" / "prompts.md").read_text(encoding="utf-8")


@pytest.mark.requirement("report:price-file")
def test_the_price_file_of_the_page_is_a_price_file(tmp_path: Path) -> None:
    (example,) = re.findall(r"```toml\n(.*?)```", REPORTS, re.DOTALL)
    (tmp_path / "prices.toml").write_text(example, encoding="utf-8")
    table = read_price_table(tmp_path / "prices.toml")
    assert table.source == "contract of November"
    assert table.price_of("gemini", "gemini-2.5-pro") is not None


@pytest.mark.requirement("report:dimensions")
def test_every_grouping_and_every_figure_of_the_page_is_there() -> None:
    groups = REPORTS[REPORTS.index("## Groups") : REPORTS.index("## The period")]
    named = re.findall(r"^\| (`[^|]*`) \|", groups, re.MULTILINE)
    assert {name for line in named for name in re.findall(r"`(\w+)`", line)} == set(get_args(Dimension))
    schema = json.loads((ROOT / "src/voice/schemas/cli/report.schema.json").read_text(encoding="utf-8"))
    figures = REPORTS[REPORTS.index("## Figures") : REPORTS.index("## Prices")]
    told = [
        name for line in re.findall(r"^\| (`.*?) \|", figures, re.MULTILINE) for name in re.findall(r"`([\w.]+)`", line)
    ]
    assert {name.split(".")[0] for name in told} <= schema["$defs"]["row"]["properties"].keys()


@pytest.mark.requirement("prompts:pinned")
def test_every_fault_of_a_prompt_is_on_the_page() -> None:
    told = re.findall(r"^\| `([a-z ]+)` \|", PROMPTS, re.MULTILINE)
    assert {name.replace(" ", "_") for name in told} == set(get_args(TemplateFault)) == set(WHAT_TO_DO)
