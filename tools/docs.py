"""Writes what follows from the program's own tables: pages of docs/, and the schema of an exported conversation."""

import json
from pathlib import Path

import architecture_svg
from openapi_document import openapi
from reference.cli import cli_markdown
from reference.errors import errors_markdown
from reference.retrieval_page import retrieval_markdown
from reference.session_schema import session_schema
from reference.settings import settings_markdown

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
SESSION_SCHEMA = ROOT / "src" / "voice" / "schemas" / "session.schema.json"
OPENAPI = ROOT / "src" / "voice" / "schemas" / "openapi.json"


def main() -> None:
    """Write what is made of the code: pages, the picture of the imports, session schema and OpenAPI document."""
    pages = {"settings.md": settings_markdown(), "cli.md": cli_markdown(), "retrieval.md": retrieval_markdown()}
    pages["errors.md"] = errors_markdown()
    for name, text in pages.items():
        (DOCS / name).write_text(text, encoding="utf-8")
        print(f"wrote docs/{name}")  # noqa: T201  (its output)
    architecture_svg.write(DOCS / "architecture.svg")
    print("wrote docs/architecture.svg")  # noqa: T201  (the same)
    for path, document in ((SESSION_SCHEMA, session_schema()), (OPENAPI, openapi())):
        path.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
        print(f"wrote {path.relative_to(ROOT)}")  # noqa: T201  (the same)


if __name__ == "__main__":
    main()
