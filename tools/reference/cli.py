"""docs/cli.md, made from the commands themselves.

Law: nothing about a command is written twice; the page is what `--help` says, with the schema of each `--json`. Where
another page tells a command, with examples, this one has the first paragraph of its help and a link.
"""

import re
from collections.abc import Iterator
from inspect import cleandoc
from textwrap import fill

import click

from voice.entrypoints.cli.main import PROGRAM, cli

_HEAD = """\
# The command line

<!-- Made from the commands; `cli_markdown` in tools/reference/cli.py prints it. -->

`voice COMMAND --help` shows all that a command takes, with more examples. The answer goes to standard output, all else
to standard error. `--home DIR` before the command, or `VOICE_HOME`, names the data directory; `NO_COLOR` turns colours
off; `VOICE_DEBUG=1` shows where an error happened.

**Arguments.** Instead of a text, `-` or nothing reads a pipe (UTF-8). Of an id, four characters after the colon are
enough if they match only one. SESSION is an id, the start of one, or a topic; CAPSULE an id or its start; ENTITY and
NAME in `kg` are an id, a name or an alias.

**Common options:**

{common}

Each command names those it takes; for `--json` it names the schema (in the package under `voice/schemas`).

| exit code | meaning |
|---|---|
| 0 | done; for `ask`: answered |
| 1 | anything else; `doctor`, `maintain verify`, `verifier check`: found a fault |
| 2 | usage: an impossible option, id or file |
| 3 | refused: the notes prove too little; `check`: a claim is not proven, or a citation is invented |
| 4 | switched off, not configured, or another process holds the store and does not answer |
| 5 | the provider or the encoder failed |
| 6 | the spending cap |
| 7 | `sessions audit`: a stored sentence is no longer grounded; `sessions replay`: a prompt differs |
| 8 | `sessions replay`: no prompt differs, but one can no longer be proven |
| 9 | unknown whether a write happened, because the process or server with the store did not answer; check first |
| 10 | `eval`: worse than the last run, or less than `--at-least` |
| 130, 143 | stopped with Ctrl-C, with SIGTERM |

**Switched off by default.** `ask`, `chat`, `retrieve`, `recall` and `organise` work once the inner voice is on.
`voice init` switches it on; for other memories, set `enabled = true` in `voice.toml` or `SURR_ENABLE_INNER_VOICE=1`.

**Private notes** stay out unless you add `--private`; `export` and `maintain backup` hold everything, in a file that
only you can read.
"""
_COMMON = {
    "--json": ("", "Print one JSON document, warnings included."),
    "--private": ("Include|Show|List|With --show", "Include what is private, or show its words."),
    "--dry-run": (".*nothing", "Show what would happen, and change nothing."),
    "--yes": ("", "Do not ask."),
    "--force": ("", "Replace an existing file."),
    "--out FILE": ("", "Write to a file that only you can read. Default: print it."),
    "--scope DIM=ID": (
        "Only",
        (
            "Only what belongs to session=ID, repo=ID, agent=ID or user=ID; if several, to all. `all`: everything; "
            "`here`: this repository and what has no scope."
        ),
    ),
    "--repo DIR": ("", "The same as `--scope repo=PATH`, for the repository of DIR."),
    "--all-scopes": ("", "The same as `--scope all`."),
}
"""Options that many commands have: how what they say of it begins, and what the page says of it once."""
_MORE: dict[str, str] = {
    "ask": "howto/ask.md",
    "check": "howto/check.md",
    "conflicts": "corrections.md#statements-that-cannot-both-be-true",
    "correct": "corrections.md",
    "eval": "exam.md",
    "forget": "forgetting.md",
    "hook": "capture.md",
    "import": "import.md",
    "kg alias": "moderation.md",
    "kg approve": "moderation.md",
    "kg candidates": "moderation.md",
    "kg edit": "moderation.md",
    "kg export": "graph.md#the-file",
    "kg graph": "graph.md",
    "kg merge": "corrections.md#two-made-one-and-two-again",
    "kg reject": "moderation.md",
    "kg review": "moderation.md#in-the-review",
    "kg stage": "extraction.md",
    "kg unmerge": "corrections.md#two-made-one-and-two-again",
    "maintain backup": "howto/backup.md",
    "maintain compact": "forgetting.md#compacting",
    "maintain rebuild": "reembedding.md",
    "maintain restore-backup": "howto/backup.md",
    "mcp": "mcp.md",
    "models install": "retrieval.md#re-ranking",
    "organise": "organise.md",
    "redact": "forgetting.md",
    "report": "reports.md",
    "removals": "archive.md",
    "review": "moderation.md#what-programs-noted",
    "serve": "http.md",
    "sessions": "sessions.md",
    "sessions audit": "auditing.md",
    "sessions replay": "auditing.md",
    "sync": "import.md#keeping-a-folder-in-step",
    "verifier check": "verifiers.md#the-test",
}
"""The page that tells a command, or those of a group, in full."""
_SAID_ONCE = re.compile(
    r"(?:;|(?<=\.)|^) ?(?:(?:SESSION is an id, the start of one, or a topic|CAPSULE is its id, or the start of it"
    r"|(?:NAME|ENTITY) is an id, a name or an alias|To read a pipe, leave TEXT out or give `-`)"
    r"|The exit code is [^.]*)\."
)
"""Sentences of the commands' helps that the head of the page says for all."""
_TELLING = re.compile(r"(?<= )(?:--?[a-z][\w-]* [^\s|>-]|[|>] )|\$\(")
SCHEMAS: dict[str, str] = {
    "init": "cli/init",
    "doctor": "cli/doctor",
    "config": "cli/config",
    "remember": "cli/remember",
    "import": "cli/import",
    "sync": "cli/sync",
    "export": "cli/export",
    "ask": "cli/ask",
    "retrieve": "retrieve",
    "recall": "recall",
    "kg add entity": "cli/kg-add",
    "kg add observation": "cli/kg-add",
    "kg add relation": "cli/kg-add",
    "kg list": "cli/kg-list",
    "kg show": "cli/kg-show",
    "kg export": "cli/kg-export",
    "kg graph": "cli/kg-graph",
    "kg duplicates": "cli/kg-duplicates",
    "kg merge": "cli/kg-merge",
    "kg unmerge": "cli/kg-merge",
    "hook install": "cli/hook-install",
    "hook uninstall": "cli/hook-install",
    "hook status": "cli/hook-status",
    "review": "cli/review",
    "conflicts": "cli/conflicts",
    "correct": "cli/correct",
    "pins add": "cli/pins-add",
    "pins list": "cli/pins-list",
    "pins remove": "cli/pins-remove",
    "capsules open": "cli/capsules-open",
    "capsules close": "cli/capsules-open",
    "capsules summarise": "cli/capsules-open",
    "capsules list": "cli/capsules-list",
    "capsules show": "cli/capsules-show",
    "sessions list": "cli/sessions-list",
    "sessions show": "cli/sessions-show",
    "sessions edit": "cli/sessions-change",
    "sessions fork": "cli/sessions-change",
    "sessions diff": "cli/sessions-diff",
    "sessions delete": "cli/sessions-delete",
    "sessions audit": "cli/sessions-audit",
    "sessions replay": "cli/sessions-replay",
    "sessions summarise": "cli/sessions-summarise",
    "sessions import": "cli/sessions-import",
    "report": "cli/report",
    "eval": "cli/eval",
    "check": "cli/check",
    "verifier check": "cli/verifier-check",
    "models list": "cli/models-list",
    "models install": "cli/models-install",
    "prompts list": "cli/prompts-list",
    "prompts show": "cli/prompts-show",
    "maintain backup": "cli/maintain-backup",
    "maintain restore-backup": "cli/maintain-restore-backup",
    "maintain verify": "cli/maintain-verify",
    "maintain rebuild": "cli/maintain-reindex",
    "kg candidates": "cli/kg-candidates",
    "kg approve": "cli/kg-moderate",
    "kg reject": "cli/kg-moderate",
    "kg alias": "cli/kg-moderate",
    "kg edit": "cli/kg-moderate",
    "kg review": "cli/kg-moderate",
    "removals mark": "cli/maintain-mark",
    "removals unmark": "cli/maintain-mark",
    "removals list": "cli/maintain-removals",
    "removals export": "cli/maintain-export-removals",
    "removals finalise": "cli/maintain-finalise-removals",
    "removals restore": "cli/maintain-restore-removed",
    "maintain compact": "cli/maintain-compact",
    "forget": "cli/forget",
    "redact": "cli/forget",
    "organise": "organise",
    "kg stage": "cli/kg-stage",
}
"""The schema of each command's `--json`, below voice/schemas and without its suffix."""
_MORE_SCHEMAS = {
    "ask": (
        "`--shape nlq`: `cli/ask-nlq.schema.json`; `--explain` adds to either `cli/ask-reading.schema.json`; "
        "`--dry-run`: `cli/ask-dry-run.schema.json`"
    ),
    "conflicts": "with an id: `cli/conflicts-resolved.schema.json`",
    "forget": "`--sentence`: `cli/forget-sentence.schema.json`",
    "kg merge": "`--list`: `cli/kg-merges.schema.json`",
    "maintain rebuild": (
        "`vectors`: `cli/maintain-reembed.schema.json`, under its former name `cli/maintain-embed-pending.schema.json`"
    ),
    "retrieve": "`--explain`: `retrieve-explain.schema.json`",
    "review": "without a decision: `cli/review-list.schema.json`",
}


def commands() -> Iterator[tuple[str, click.Command, click.Context]]:
    """Yield every command with its name (`kg add entity`) and a context to ask it for its help; groups come first.

    A command that has two places is yielded at its first; names of an earlier release are not.
    """
    seen: set[int] = set()
    for name, command, context in _below(cli, click.Context(cli, info_name=PROGRAM), ()):
        if id(command) not in seen:
            yield name, command, context
        seen.add(id(command))


def _below(
    group: click.Group, parent: click.Context, path: tuple[str, ...]
) -> Iterator[tuple[str, click.Command, click.Context]]:
    for name in group.list_commands(parent):
        command = group.get_command(parent, name)
        if command is None or command.hidden:
            continue
        context = click.Context(command, info_name=name, parent=parent)
        yield " ".join((*path, name)), command, context
        if isinstance(command, click.Group):
            yield from _below(command, context, (*path, name))


def cli_markdown() -> str:
    """Return docs/cli.md."""
    common = "\n".join(f"- `{names}`: {about}" for names, (_, about) in _COMMON.items())
    lines = [_HEAD.format(common=common)]
    said: dict[tuple[str, str], str] = {}
    for name, command, context in commands():
        *prose, examples = cleandoc(command.help or "").split("\n\n")
        more = _MORE.get(name, _MORE.get(name.partition(" ")[0]))
        if isinstance(command, click.Group):
            lines += [f"## {PROGRAM} {name}", "", *_paragraphs(prose, more)] if len(prose) > 1 else []
            continue
        takes = [each for each in command.collect_usage_pieces(context) if each != "[OPTIONS]"]
        called = " ".join((PROGRAM, name, *takes))
        lines += [f"## `{called}`" if takes else f"## {called}", "", *_paragraphs(prose, more)]
        shown = "" if more else _example(examples, f"{PROGRAM} {name}", is_shown=len(takes) > 1)
        if shown:
            lines += ["```sh", shown, "```", ""]
        lines += _options(name, command, context, said)
        if name in SCHEMAS:
            others = f"; {_MORE_SCHEMAS[name]}" if name in _MORE_SCHEMAS else ""
            lines += [f"JSON: `{SCHEMAS[name]}.schema.json`{others}.", ""]
    return "\n".join(lines).rstrip() + "\n"


def _paragraphs(prose: list[str], more: str | None) -> Iterator[str]:
    """Yield the paragraphs of a help, without what the head of the page, or the page that tells more, says."""
    texts = [
        _SAID_ONCE.sub(lambda found: "." if found[0].startswith(";") else "", " ".join(each.split())) for each in prose
    ]
    told = [text.strip() for text in texts if text.strip()]
    if more:
        told = [f"{told[0]} [More]({more})."]
    for text in told:
        yield from (fill(text, 120, break_long_words=False, break_on_hyphens=False), "")


def _example(paragraph: str, alone: str, *, is_shown: bool) -> str:
    """Return the first example that shows a value of an option, or a pipe; "" if none does.

    Args:
        paragraph: the examples of a help.
        alone: the command without anything, which is no example.
        is_shown: whether the first is returned if none does, because the arguments need it.
    """
    _, _, lines = paragraph.removeprefix("\b\n").partition(": " if "Example: " in paragraph else "\n")
    examples = [line for line in map(str.strip, lines.splitlines()) if line != alone]
    telling = [line for line in examples if _TELLING.search(line)]
    return next(iter(telling or (examples if is_shown else [])), "")


def _options(
    name: str, command: click.Command, context: click.Context, said: dict[tuple[str, str], str]
) -> Iterator[str]:
    """Yield what each option does that no command before says, and the names of the others."""
    elsewhere: dict[str, list[str]] = {}
    rows: list[str] = []
    for option in command.params:
        record = option.get_help_record(context) if isinstance(option, click.Option) else None
        if record is None:
            continue
        names, about = record
        if (where := _where(names, about, said)) is None:
            rows.append(f"- `{names.replace(' RANGE', '')}`: {' '.join(about.split())}")
            said[record] = name
        elif "--json" not in names:
            elsewhere.setdefault(where, []).append(f"`{re.split('[ ,]', names)[0]}`")
    if rows:
        yield from (*rows, "")
    if elsewhere:
        told = [
            f"{f'as in `{where}`: ' if where else ''}{', '.join(each)}" for where, each in sorted(elsewhere.items())
        ]
        yield from (f"Also {'; '.join(told)}.", "")


def _where(names: str, about: str, said: dict[tuple[str, str], str]) -> str | None:
    """Return where an option is explained: "" for the head of the page, else a command before; None: nowhere yet."""
    known = names.removesuffix(", --include-private")
    if known in _COMMON and re.match(_COMMON[known][0], about):
        return ""
    return said.get((names, about))
