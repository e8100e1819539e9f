"""The entry in a host's settings: put in and taken out, all else to the letter."""

import json
from collections.abc import Callable
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tables import tables
from voice.core.capture.hosts import (
    Host,
    commands_in,
    has_toml_hooks,
    is_ours,
    toml_commands,
    toml_with_hook,
    toml_without_hook,
    with_hook,
    without_hook,
)
from voice.core.errors import ConfigurationError

pytestmark = pytest.mark.requirement("capture:install")
COMMAND = "/opt/voice/bin/voice --home '/home/i s/m' hook run claude-code"
CODEX = "/opt/voice/bin/voice hook run codex"
CLAUDE = """\
{
    "model": "opus", "env": {"A":  1.50, "B": "é"},
    "hooks": {
        "Stop": [{"hooks": [{"type": "command", "command": "say done"}]}],
        "SessionEnd": [
            {
                "matcher": "logout",
                "hooks": [
                    {"type": "command", "command": "echo bye", "timeout": 1}
                ]
            }
        ]
    }
}
"""
TEXTS = {
    "none": "",
    "empty": "{}",
    "compact": '{"a": [1, 2], "hooks": {"Stop": []}}',
    "tabs": '{\n\t"a": 1\n}\n',
    "windows": '{\r\n  "a": 1\r\n}\r\n',
    "others": CLAUDE,
    "no hooks": '{\n  "a": {"hooks": 1}\n}',
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=list(TEXTS))
@pytest.mark.parametrize("host", list(Host))
def test_it_is_put_in_once_and_nothing_else_changes(text: str, host: Host) -> None:
    command = f"/opt/voice/bin/voice hook run {host.value}"
    done = with_hook(text, host, command)
    assert commands_in(done, host) == [command]
    assert with_hook(done, host, command) == done
    before, after = json.loads(text or "{}"), json.loads(done)
    group = after["hooks"]["SessionEnd"].pop()
    (hook,) = group["hooks"]
    assert (group.keys(), hook["type"], hook["command"]) == ({"hooks"}, "command", command)
    assert hook["timeout"] == {Host.CLAUDE_CODE: 5, Host.CODEX: 3, Host.GEMINI_CLI: 5000}[host]
    if not after["hooks"]["SessionEnd"]:
        del after["hooks"]["SessionEnd"]
    if not after["hooks"]:
        del after["hooks"]
    assert after == before
    assert without_hook(done, host) == (text if text.strip() not in ("", "{}") else without_hook(done, host))
    assert json.loads(without_hook(done, host)) == before


def test_it_stands_as_its_neighbours_do() -> None:
    done = with_hook('{\r\n\t"a": 1\r\n}\r\n', Host.CLAUDE_CODE, COMMAND)
    assert done.replace("\r\n", "").count("\n") == 0
    assert '\r\n\t"hooks": {\r\n\t\t"SessionEnd": [' in done
    assert '"hooks": {"SessionEnd": [{"hooks": [' in with_hook('{"a": 1}', Host.CLAUDE_CODE, COMMAND)


def test_another_program_or_memory_takes_the_place_of_the_one_before() -> None:
    first = with_hook(CLAUDE, Host.CLAUDE_CODE, COMMAND)
    then = with_hook(first, Host.CLAUDE_CODE, COMMAND.replace("/opt", "/usr"))
    assert commands_in(then, Host.CLAUDE_CODE) == [COMMAND.replace("/opt", "/usr")]
    assert without_hook(then, Host.CLAUDE_CODE) == CLAUDE


def test_of_a_group_that_holds_others_too_only_ours_goes() -> None:
    ours = json.dumps({"type": "command", "command": COMMAND})
    text = '{"hooks": {"SessionEnd": [{"hooks": [%s{"command": "echo bye"}]}, {}, {"hooks": []}]}}'
    assert without_hook(text % f"{ours}, ", Host.CLAUDE_CODE) == text % ""
    last = '{"hooks": {"SessionEnd": [{"hooks": [{"command": "echo bye"}%s]}]}}'
    assert without_hook(last % f", {ours}", Host.CLAUDE_CODE) == last % ""
    assert without_hook(CLAUDE, Host.CLAUDE_CODE) == CLAUDE


@pytest.mark.parametrize(
    ("command", "is_it"),
    [
        (COMMAND, True),
        ("python -m voice hook run claude-code", True),
        ("voice hook run codex", False),
        ("echo hook run claude-code", False),
        ("voice hook 'run claude-code", False),
        (None, False),
    ],
)
def test_ours_is_known_by_its_command(command: object, *, is_it: bool) -> None:
    assert is_ours(command, Host.CLAUDE_CODE) is is_it


@pytest.mark.parametrize(
    ("text", "said"), [*tables(__file__)["what_cannot_be_understood_is_refused"], ("[" * 100_000, "is not plain JSON")]
)
def test_what_cannot_be_understood_is_refused(text: str, said: str) -> None:
    change: Callable[[], str]
    for change in (lambda: with_hook(text, Host.GEMINI_CLI, "x"), lambda: without_hook(text, Host.GEMINI_CLI)):
        with pytest.raises(ConfigurationError) as refused:
            change()
        assert refused.value.message == said


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=10,
)


@given(
    others=st.dictionaries(st.text(max_size=4).filter(lambda key: key != "hooks"), _JSON, min_size=1, max_size=4),
    events=st.dictionaries(
        st.sampled_from(["Stop", "SessionStart", "SessionEnd"]), st.just([{"hooks": [{"command": "x"}]}])
    ),
    indent=st.sampled_from([None, 1, 2, 4, "\t"]),
    ascii_only=st.booleans(),
)
def test_what_was_put_in_and_taken_out_leaves_every_byte(
    *, others: dict[str, object], events: dict[str, object], indent: int | str | None, ascii_only: bool
) -> None:
    tree = {**others, "hooks": events} if events else others
    text = json.dumps(tree, indent=indent, ensure_ascii=ascii_only)
    done = with_hook(text, Host.CLAUDE_CODE, COMMAND)
    told = cast("dict[str, dict[str, list[object]]]", json.loads(done))
    assert len(told["hooks"]["SessionEnd"]) == 1 + ("SessionEnd" in events)
    assert without_hook(done, Host.CLAUDE_CODE) == text


TOML = 'model = "o"\n\n[[hooks.Stop]]\n\n[[hooks.Stop.hooks]]\ntype = "command"\ncommand = "say done"\n'


@pytest.mark.parametrize("text", [TOML, TOML.rstrip("\n"), ""])
def test_codexs_toml_takes_it_at_its_end_and_gives_it_back(text: str) -> None:
    done = toml_with_hook(text, CODEX)
    assert toml_commands(done) == [CODEX]
    assert toml_with_hook(done, CODEX) == done
    assert done.startswith(text)
    assert toml_without_hook(done).rstrip("\n") == text.rstrip("\n")
    other = toml_with_hook(done, CODEX.replace("/opt", "/usr"))
    assert toml_commands(other) == [CODEX.replace("/opt", "/usr")]


def test_codexs_hooks_stand_where_it_says_them_already() -> None:
    assert has_toml_hooks(TOML)
    assert not has_toml_hooks('model = "o"\n')


def test_a_toml_that_takes_no_more_or_was_written_anew_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="is not valid TOML"):
        has_toml_hooks("model = ")
    with pytest.raises(ConfigurationError, match="voice cannot extend"):
        toml_with_hook("hooks = {SessionEnd = []}\n", CODEX)
    by_hand = f'[hooks]\nSessionEnd = [{{hooks = [{{command = "{CODEX}"}}]}}]\n'
    with pytest.raises(ConfigurationError, match="remove it by hand"):
        toml_without_hook(by_hand)
