"""The messages of core, as people read them: all tables in one listing.

`python -m tools.messages [AREA]` prints each message with its name; what a message is told stands in braces.
`tests/architecture/test_messages.py` holds every message to the rules of docs/style.md.
"""

import ast
import sys
from pathlib import Path
from typing import Final

CORE: Final = Path(__file__).resolve().parents[1] / "src" / "voice" / "core"


def tables() -> dict[str, dict[str, str]]:
    """Return the messages of each area by their names, in the order in which they stand."""
    paths = sorted(CORE.glob("messages/[!_]*.py"))
    return {path.stem: _messages(ast.parse(path.read_text("utf-8"))) for path in paths}


def _messages(table: ast.Module) -> dict[str, str]:
    found: dict[str, str] = {}
    for node in table.body:
        if isinstance(node, ast.AnnAssign) and isinstance(node.value, ast.Dict):
            told = zip(node.value.keys, node.value.values, strict=True)
            found |= {f"{ast.unparse(node.target)}[{text_of(key)}]": text_of(each) for key, each in told}
        elif isinstance(node, ast.AnnAssign) and isinstance(node.value, ast.Tuple):
            found[ast.unparse(node.target)] = ", ".join(map(text_of, node.value.elts))
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            found[ast.unparse(node.target)] = text_of(node.value)
        elif isinstance(node, ast.FunctionDef):
            found[node.name] = " ".join(text_of(each.value) for each in ast.walk(node) if isinstance(each, ast.Return))
    return found


def text_of(node: ast.AST | None) -> str:
    """Return what a literal says, each fact of it in braces; nothing of what is no literal."""
    if isinstance(node, ast.JoinedStr):
        return "".join(map(text_of, node.values))
    if isinstance(node, ast.FormattedValue):
        return f"{{{ast.unparse(node.value)}}}"
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def main() -> None:
    """Print the messages."""
    for area, messages in tables().items():
        if area in sys.argv[1:] or not sys.argv[1:]:
            sys.stdout.write(f"\n{area}\n\n" + "".join(f"{name:32} {text}\n" for name, text in messages.items()))


if __name__ == "__main__":
    main()
