"""The library's reference: what a program can call, with each docstring as it stands in the code.

Public are the classes that `voice` and its `Voice` hand out. A public member without a docstring fails the build.
"""

import inspect
import re
from collections.abc import Iterator

from voice import Voice
from voice.entrypoints.library_resources import Removals, Sessions

_HEAD = """\
# The library

```python
from voice import Voice
```

One class, one memory; [how to use it from a program](../howto/program.md). Errors are those of
[the one tree](../errors.md).
"""
_SECTIONS = re.compile(r"^(Args|Returns|Raises|Yields):\n", flags=re.MULTILINE)
_ENTRY = re.compile(r"^ {4}([\w`*, .]+): ", flags=re.MULTILINE)


def library_markdown() -> str:
    """Return the page of the library.

    Raises:
        LookupError: something public says nothing of itself.
    """
    lines = [_HEAD]
    for cls in (Voice, Sessions, Removals):
        lines += [f"## {cls.__name__}", "", *_prose(_doc(cls)), ""]
        for name, member in _members(cls):
            lines += [f"### {cls.__name__}.{name}", "", *_signature(name, member), *_prose(_doc(member)), ""]
    return "\n".join(lines)


def _members(cls: type) -> Iterator[tuple[str, object]]:
    for name, member in vars(cls).items():
        is_callable = inspect.isfunction(member) or isinstance(member, classmethod | property)
        if is_callable and not name.startswith("_"):
            yield name, member


def _doc(thing: object) -> str:
    said = inspect.getdoc(thing)
    if not said:
        raise LookupError(f"{thing} says nothing of itself")
    return said


def _signature(name: str, member: object) -> Iterator[str]:
    if isinstance(member, property):
        return
    called = inspect.unwrap(member.__func__ if isinstance(member, classmethod) else member)  # type: ignore[arg-type]
    is_async = inspect.iscoroutinefunction(called)
    is_context = inspect.isasyncgenfunction(called) and isinstance(member, classmethod)
    signature = inspect.signature(called)
    given = [_parameter(one) for one in list(signature.parameters.values())[1:]]
    stars = _with_star(list(signature.parameters.values())[1:], given)
    how = (
        "async with "
        if is_context
        else "await "
        if is_async
        else "async for … in "
        if inspect.isasyncgenfunction(called)
        else ""
    )
    returned = _named(signature.return_annotation)
    inside = "".join(f"\n    {one}," for one in stars) + ("\n" if stars else "")
    yield from ("```text", f"{how}{name}({inside}) -> {returned}", "```", "")


def _with_star(parameters: list[inspect.Parameter], said: list[str]) -> Iterator[str]:
    starred = any(one.kind is inspect.Parameter.VAR_POSITIONAL for one in parameters)
    for parameter, text in zip(parameters, said, strict=True):
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY and not starred:
            starred = True
            yield "*"
        yield text


def _parameter(one: inspect.Parameter) -> str:
    name = {inspect.Parameter.VAR_KEYWORD: "**", inspect.Parameter.VAR_POSITIONAL: "*"}.get(one.kind, "") + one.name
    default = "" if one.default is inspect.Parameter.empty else f" = {one.default!r}"
    return f"{name}: {_named(one.annotation)}{default}"


def _named(annotation: object) -> str:
    text = annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)
    return re.sub(r"\b(?:[a-z_]+\.)+(?=[A-Za-z])", "", text.strip("'\""))


def _prose(doc: str) -> Iterator[str]:
    """Yield a docstring as Markdown: its sections as lists."""
    pieces = _SECTIONS.split(doc)
    yield from (*_code(pieces[0].strip()), "")
    for title, body in zip(pieces[1::2], pieces[2::2], strict=True):
        yield from (f"**{title}**", "")
        yield from _entries(inspect.cleandoc("\n" + body))
        yield ""


def _code(text: str) -> Iterator[str]:
    """Yield prose, an indented piece of a program as the code that it is."""
    for paragraph in text.split("\n\n"):
        if paragraph.startswith("    "):
            yield from ("```text", inspect.cleandoc(paragraph), "```", "")
        else:
            yield from (paragraph, "")


def _entries(body: str) -> Iterator[str]:
    if not re.search(r"^[\w`*, .]+: ", body, flags=re.MULTILINE):
        yield body
        return
    for line in body.splitlines():
        name, colon, about = line.partition(": ")
        if colon and not line.startswith(" ") and re.fullmatch(r"[\w`*, .]+", name):
            yield f"- `{name}`: {about}"
        else:
            yield f"    {line.strip()}" if line.strip() else ""
