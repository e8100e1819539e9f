"""Writes what follows from the program's own tables: pages of docs/, and the schema of an exported conversation."""

import json
from pathlib import Path

from voice.adapters.files.session_schema import session_schema
from voice.core.render.pipeline import retrieval_markdown
from voice.core.settings.describe import settings_markdown
from voice.entrypoints.cli.reference import cli_markdown

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
SESSION_SCHEMA = ROOT / "src" / "voice" / "schemas" / "session.schema.json"


def main() -> None:
    """Write docs/settings.md, docs/cli.md, docs/retrieval.md and the schema of `voice-session/1`."""
    pages = {"settings.md": settings_markdown(), "cli.md": cli_markdown(), "retrieval.md": retrieval_markdown()}
    for name, text in pages.items():
        (DOCS / name).write_text(text, encoding="utf-8")
        print(f"wrote docs/{name}")  # noqa: T201  (its output)
    SESSION_SCHEMA.write_text(json.dumps(session_schema(), indent=2) + "\n", encoding="utf-8")
    print(f"wrote {SESSION_SCHEMA.relative_to(ROOT)}")  # noqa: T201  (the same)


if __name__ == "__main__":
    main()
