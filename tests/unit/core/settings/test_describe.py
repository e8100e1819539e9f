"""What a person sees of the settings."""

import tomllib
from decimal import Decimal

import pytest

from voice.core.errors import ConfigurationError
from voice.core.settings.describe import default_toml, describe, value_of
from voice.core.settings.parse import parse_settings
from voice.core.settings.readers import Value
from voice.core.settings.table import SETTINGS


@pytest.mark.requirement("ruling:A8")
def test_each_setting_is_shown_with_its_value_and_origin() -> None:
    result = parse_settings({"llm.deadline_s": 5}, {"SURR_TOP_K": "9"}, {"enabled": True})
    rows = {row.name: (row.value, row.origin) for row in describe(result)}
    assert len(rows) == len(SETTINGS)
    assert rows["gate.enabled"] == ("true", "file")
    assert rows["organise.top_k"] == ("9", "env")
    assert rows["llm.deadline_s"] == ("5.0", "flag")
    assert rows["llm.temperature"] == ("not set", "default")
    assert rows["organise.auto_mark_removal"] == ("false", "default")


@pytest.mark.requirement("ruling:A4", "ruling:A8")
def test_a_stance_shows_the_policy_that_holds_for_it_and_where_that_came_from() -> None:
    env = {"SURR_INNER_VOICE_MIN_COVERAGE": "0.7", "SURR_INNER_VOICE_CHALLENGE_MIN_SOURCES": "3"}
    file = {"question": {"on_unsupported": "cut"}, "synthesize": {"min_coverage": 0.9}}
    rows = {row.name: (row.value, row.origin) for row in describe(parse_settings({}, env, file))}
    assert rows["challenge.min_coverage"] == ("0.7 (as grounding.min_coverage)", "env")
    assert rows["challenge.min_sources"] == ("3", "env")
    assert rows["question.on_unsupported"] == ("cut", "file")
    assert rows["synthesize.min_coverage"] == ("0.9", "file")
    assert rows["question.single_source"] == ("off (as grounding.single_source)", "default")


@pytest.mark.requirement("ruling:C16")
def test_the_policy_of_a_stance_is_checked_as_that_of_all_is() -> None:
    result = parse_settings({}, {"SURR_INNER_VOICE_CHALLENGE_MIN_COVERAGE": "1.5"}, {})
    assert result.settings.challenge.min_coverage == 1.0
    assert any("SURR_INNER_VOICE_CHALLENGE_MIN_COVERAGE is 1.5; using 1.0" in each for each in result.warnings)
    with pytest.raises(ConfigurationError, match="SURR_INNER_VOICE_QUESTION_MIN_SOURCES must be a whole number"):
        parse_settings({}, {"SURR_INNER_VOICE_QUESTION_MIN_SOURCES": "many"}, {})
    with pytest.raises(ConfigurationError, match=r"synthesize\.single_source in voice\.toml must be one of off, green"):
        parse_settings({}, {}, {"synthesize": {"single_source": "amber"}})


@pytest.mark.requirement("promise:6")
def test_a_secret_is_shown_as_set_or_not_set() -> None:
    env = {"GOOGLE_API_KEY": "canary", "SURR_DB_PASS": "canary"}
    rows = {row.name: row for row in describe(parse_settings({}, env, {}))}
    assert (rows["llm.api_key"].value, rows["llm.api_key"].origin) == ("set", "env")
    assert (rows["store.password"].value, rows["embed.api_key"].value) == ("set", "not set")
    assert rows["llm.api_key"].env == "SURR_INNER_VOICE_API_KEY or GEMINI_API_KEY or GOOGLE_API_KEY"
    assert "canary" not in repr(rows)


def test_durations_have_their_unit() -> None:
    units = {row.env: row.unit for row in describe(parse_settings({}, {}, {}))}
    assert (units["SURR_INNER_VOICE_TIMEOUT"], units["SURR_INNER_VOICE_DEADLINE"], units["SURR_RETENTION_DAYS"]) == (
        "hours",
        "seconds",
        "days",
    )


def test_a_fresh_file_sets_nothing_and_names_everything() -> None:
    text = default_toml()
    assert parse_settings({}, {}, tomllib.loads(text)) == parse_settings({}, {}, {})
    for setting in SETTINGS:
        assert (f"# {setting.key.rpartition('.')[2]} =" in text) or not setting.in_file
    assert "api_key" not in text


def test_what_init_was_told_stands_in_the_file() -> None:
    chosen: dict[str, Value] = {
        "gate.enabled": True,
        "llm.provider": "extractive",
        "llm.max_turn_cost": Decimal("0.10"),
        "time.timezone": "Europe/Berlin",
        "archive.directory": 'a "quoted" \\ path',
        "llm.temperature": None,
    }
    result = parse_settings({}, {}, tomllib.loads(default_toml(chosen)))
    assert result.warnings == ()
    for setting in SETTINGS:
        wanted = chosen.get(setting.name)
        if wanted is not None:
            assert (value_of(result.settings, setting), result.origins[setting.name]) == (wanted, "file")
        elif setting.name != "llm.model":
            assert value_of(result.settings, setting) == setting.default


def test_the_commented_defaults_are_the_defaults() -> None:
    lines = [
        line.removeprefix("# ") if " = " in line and not line.endswith(")") else line
        for line in default_toml().split("\n")
    ]
    assert parse_settings({}, {}, tomllib.loads("\n".join(lines))).settings == parse_settings({}, {}, {}).settings
