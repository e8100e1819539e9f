"""The page of events: what a turn tells while it is made, read off the classes and the words under their fields."""

import ast
import inspect
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec

from reference.markdown import table

_MODULE = "voice.core.session.turn_events"
_HEAD = """\
# Events

What a turn tells while it is made, in the order it happens. The command line, MCP and HTTP tell the same events.
"""


def events_markdown() -> str | None:
    """Return the page of events; None where the program tells none."""
    if find_spec(_MODULE) is None:
        return None
    source = inspect.getsource(import_module(_MODULE))
    module = ast.parse(source)
    wanted = _union(module)
    classes = {node.name: node for node in module.body if isinstance(node, ast.ClassDef)}
    lines = [_HEAD]
    for name in wanted:
        lines += [f"## {name}", "", ast.get_docstring(classes[name]) or "", ""]
        lines += table(("field", "type", "what it is"), _fields(classes[name]))
    return "\n".join(lines)


def _union(module: ast.Module) -> list[str]:
    """Return the names of `Event = A | B | …`, in order.

    Raises:
        LookupError: the module says no such thing.
    """
    for node in module.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "Event":
            return ast.unparse(node.value).split(" | ")
    raise LookupError(f"{_MODULE} has no Event")


def _fields(node: ast.ClassDef) -> Iterator[tuple[str, str, str]]:
    following = [*node.body[1:], None]
    for each, after in zip(node.body, following, strict=True):
        if isinstance(each, ast.AnnAssign):
            about = after.value.value if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant) else ""
            yield f"`{ast.unparse(each.target)}`", f"`{ast.unparse(each.annotation)}`", str(about)
        if isinstance(each, ast.FunctionDef):
            yield (
                f"`{each.name}`",
                f"`{ast.unparse(each.returns)}`" if each.returns else "",
                ast.get_docstring(each) or "",
            )
