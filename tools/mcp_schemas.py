"""Writes the schema files of the MCP tools: what each takes, from its contract, and what it returns."""

from voice.entrypoints.mcp.discovery import SCHEMAS
from voice.entrypoints.mcp.schemas import schema_files


def main() -> None:
    """Write src/voice/schemas/mcp, and take away what no tool has any more."""
    files = schema_files()
    SCHEMAS.mkdir(exist_ok=True)
    for stale in {path.name for path in SCHEMAS.glob("*.json")} - files.keys():
        (SCHEMAS / stale).unlink()
    for name, text in files.items():
        (SCHEMAS / name).write_text(text, encoding="utf-8")
    print(f"wrote {len(files)} schemas to src/voice/schemas/mcp")  # noqa: T201  (its output)


if __name__ == "__main__":
    main()
