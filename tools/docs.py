"""Writes the pages of docs/ that follow from the program's own tables: settings, command line, retrieval."""

from pathlib import Path

from voice.core.render.pipeline import retrieval_markdown
from voice.core.settings.describe import settings_markdown
from voice.entrypoints.cli.reference import cli_markdown

DOCS = Path(__file__).resolve().parents[1] / "docs"


def main() -> None:
    """Write docs/settings.md, docs/cli.md and docs/retrieval.md."""
    pages = {"settings.md": settings_markdown(), "cli.md": cli_markdown(), "retrieval.md": retrieval_markdown()}
    for name, text in pages.items():
        (DOCS / name).write_text(text, encoding="utf-8")
        print(f"wrote docs/{name}")  # noqa: T201  (its output)


if __name__ == "__main__":
    main()
