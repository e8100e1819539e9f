"""The page of the settings, made from the program's own table."""

from voice.core.settings.readers import Setting
from voice.core.settings.table import GROUPS, SETTINGS, STANCES

_PAGE_HEAD = """\
# Settings

<!-- Made from the program's own table; tools/docs.py writes it. -->

A command's options override environment variables, which override `voice.toml`, which overrides the defaults.
`voice config` shows each value and where it comes from. `voice` brings a number that is out of range into range and
warns you; a value of the wrong kind is an error. In `voice.toml`, a key belongs in the table of its first
word (`retrieve.mix` is `mix` under `[retrieve]`).

`voice` reads secrets only from the environment and never prints them. If you choose a vendor and set no `api_base`, it
reads the key from the vendor's own variable (`GEMINI_API_KEY` or `GOOGLE_API_KEY`, `OPENAI_API_KEY`,
`ANTHROPIC_API_KEY`, `XAI_API_KEY`, …).
"""
_STANCES_HEAD = f"""\
## {", ".join(STANCES)}

Each overrides the key of the same name under [grounding](#grounding) for one stance, and takes the same values.
"""


def settings_markdown() -> str:
    """Return docs/settings.md."""
    lines = [_PAGE_HEAD]
    for group in (group for group in GROUPS if group not in STANCES):
        lines += [f"## {group}", "", "| key | variable | default | takes | what it does |", "|---|---|---|---|---|"]
        lines += [_markdown_row(setting) for setting in SETTINGS if setting.group == group]
        lines.append("")
    lines += [_STANCES_HEAD, "| key | variable |", "|---|---|"]
    lines += [f"| `{setting.key}` | `{setting.env}` |" for setting in SETTINGS if setting.group in STANCES]
    return "\n".join([*lines, ""])


def _markdown_row(setting: Setting) -> str:
    key = f"`{setting.key}`" if setting.in_file else "not in the file"
    unit = f" (in {setting.unit})" if setting.unit else ""
    value = setting.default
    default = "" if value is None else f"`{str(value).lower() if isinstance(value, bool) else value}`"
    return f"| {key} | `{setting.env}` | {default} | {setting.reader.accepts} | {setting.about}{unit} |"
