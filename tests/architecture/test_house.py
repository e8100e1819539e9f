"""The size of the program, its tests and its pages only goes down (`python -m tools.house`)."""

from pathlib import Path

import pytest
from tools.house import GOALS, ceilings, figures, single_importer_modules


@pytest.mark.requirement("house:ceilings")
def test_no_figure_passes_its_ceiling() -> None:
    most = ceilings()
    assert most.keys() == GOALS.keys()
    assert {name: count for name, count in figures().items() if count > most[name]} == {}


@pytest.mark.requirement("house:ceilings")
def test_a_small_module_with_one_importer_is_found(tmp_path: Path) -> None:
    core = tmp_path / "src" / "voice" / "core"
    core.mkdir(parents=True)
    written = {
        "alone": "",
        "shared": "",
        "first": "from voice.core import alone\nfrom voice.core.shared import x\n",
        "second": "def late():\n    from voice.core.shared import (\n        x,\n    )\n",
    }
    for name, text in written.items():
        (core / f"{name}.py").write_text(text, "utf-8")
    assert single_importer_modules(tmp_path) == ["voice.core.alone"]
