"""Writes the pages of docs/ that follow from the program's own tables: settings and command line."""

from pathlib import Path

from voice.core.settings.describe import settings_markdown
from voice.entrypoints.cli.reference import cli_markdown

DOCS = Path(__file__).resolve().parents[1] / "docs"


def main() -> None:
    """Write docs/settings.md and docs/cli.md."""
    for name, text in (("settings.md", settings_markdown()), ("cli.md", cli_markdown())):
        (DOCS / name).write_text(text, encoding="utf-8")
        print(f"wrote docs/{name}")  # noqa: T201  (its output)


if __name__ == "__main__":
    main()
