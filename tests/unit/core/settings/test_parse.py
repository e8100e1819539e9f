"""Where a setting comes from, what wins, and how faults are told."""

from decimal import Decimal

import pytest

from tables import tables
from voice.core.errors import ConfigurationError, FeatureDisabled
from voice.core.settings.parse import SettingsResult, parse_settings
from voice.core.settings.providers import key_names
from voice.core.settings.table import BY_NAME, SETTINGS
from voice.core.settings.values import GateSettings, Settings

TABLES = tables(__file__)


def from_env(**env: str) -> SettingsResult:
    return parse_settings({}, env, {})


def fault(env: dict[str, str], file: dict[str, object] | None = None, flags: dict[str, object] | None = None) -> str:
    with pytest.raises(ConfigurationError) as caught:
        parse_settings(flags or {}, env, file or {})
    return caught.value.message


def test_nothing_set_gives_the_defaults_without_a_word() -> None:
    result = parse_settings({}, {}, {})
    assert result.settings == Settings()
    assert result.warnings == ()
    assert set(result.origins.values()) == {"default"}
    assert result.origins.keys() == BY_NAME.keys()


@pytest.mark.requirement("s3:logging:warn")
def test_what_the_environment_says_against_the_file_is_warned_about_and_no_value_is_told() -> None:
    file: dict[str, object] = {"retrieve": {"mix": 0.5}}

    def warned(flags: dict[str, object], **env: str) -> tuple[str, ...]:
        return parse_settings(flags, env, file).warnings

    assert warned({}, SURR_INNER_VOICE_MIX="0.5") == ()
    assert warned({}, SURR_INNER_VOICE_TOPK_DEFAULT="7") == ()
    assert warned({}, SURR_INNER_VOICE_MIX="0.6") == (
        "SURR_INNER_VOICE_MIX of the environment is used instead of retrieve.mix in voice.toml",
    )
    assert warned({"retrieve.mix": 0.7}, SURR_INNER_VOICE_MIX="0.6") == ()
    assert "in place of" not in fault({"SURR_INNER_VOICE_MIX": "much"}, file)


@pytest.mark.requirement(
    "s0:config:SURR_ENABLE_INNER_VOICE", "s0:config:SURR_INNER_VOICE_MIX", "s0:config:SURR_INNER_VOICE_TOPK_DEFAULT",
    "s0:config:SURR_INNER_VOICE_MIN_FLOOR", "s0:config:SURR_INNER_VOICE_MAX_CANDIDATES_PER_SOURCE",
    "s0:config:SURR_EMBED_PROVIDER", "s0:config:SURR_EMBED_MODEL", "s0:config:SURR_EMBED_DIM", "s1:config:SURR_TOP_K",
    "s1:config:SURR_SIM_THRESH", "s1:config:SURR_DB_LIMIT", "s1:config:SURR_AUTO_MARK_REMOVAL",
    "s1:config:SURR_RETENTION_DAYS", "s1:config:SURR_ARCHIVE_DIR", "s1:config:SURR_ARCHIVE_FORMAT",
    "s2:config:SURR_ENABLE_INNER_VOICE", "s2:config:SURR_INNER_VOICE_PROVIDER", "s2:config:SURR_INNER_VOICE_MODEL",
    "s2:config:SURR_INNER_VOICE_MAX_TOKENS", "s2:config:SURR_INNER_VOICE_TEMP",
    "s2:config:SURR_INNER_VOICE_MIN_COVERAGE", "s2:config:SURR_INNER_VOICE_TIMEOUT",
    "s2:config:SURR_INNER_VOICE_METRICS", "s2:config:SURR_INNER_VOICE_COST_TRACKING", "s2:grounding:min_coverage_ratio",
    "s2:grounding:min_sources", "s3:config:timezone", "s3:config:default_limit", "s3:config:max_limit",
    "s3:config:max_keywords", "s3:config:enable_keyword_filter", "ruling:A6", "ruling:A24", "ruling:C3",
)  # fmt: skip
@pytest.mark.parametrize(
    ("env", "raw", "name", "default", "value"),
    [
        *TABLES["each_variable_of_the_specs_has_its_default_and_is_read"],
        ("SURR_INNER_VOICE_MAX_COST", "0.02", "llm.max_turn_cost", None, Decimal("0.02")),
    ],
)
def test_each_variable_of_the_specs_has_its_default_and_is_read(
    env: str, raw: str, name: str, default: object, value: object
) -> None:
    setting = BY_NAME[name]
    assert (setting.env, setting.default) == (env, default)
    result = from_env(**{env: raw})
    assert getattr(getattr(result.settings, setting.group), setting.field) == value
    assert result.origins[name] == "env"
    assert [each for each in result.warnings if f"{env} is ignored: " not in each] == []


@pytest.mark.requirement("spending:caps", "ruling:C16")
@pytest.mark.parametrize("cap", ["SESSION", "DAY", "MONTH"])
def test_a_cap_on_what_was_spent_needs_the_costs_to_be_kept(cap: str) -> None:
    env = {f"SURR_INNER_VOICE_MAX_{cap}_COST": "2.50", "SURR_INNER_VOICE_COST_TRACKING": "0"}
    result = from_env(**env)
    assert getattr(result.settings.llm, f"max_{cap.lower()}_cost") == Decimal("2.50")
    assert result.settings.llm.cost_tracking
    assert [each for each in result.warnings if "voice keeps their costs" in each]


def test_names_and_variables_are_unique() -> None:
    assert len({setting.name for setting in SETTINGS}) == len({setting.env for setting in SETTINGS}) == len(SETTINGS)


@pytest.mark.requirement("s3:config:env-once", "s3:not:env-per-call")
def test_settings_do_not_change_when_the_environment_does() -> None:
    env = {"SURR_TOP_K": "7"}
    result = parse_settings({}, env, {})
    env["SURR_TOP_K"] = "9"
    assert result.settings.organise.top_k == 7


def test_an_empty_variable_is_not_set() -> None:
    result = parse_settings({}, {"SURR_TOP_K": " "}, {"organise": {"top_k": 8}})
    assert result.settings.organise.top_k == 8


@pytest.mark.requirement("ruling:C16")
def test_every_fault_is_told_at_once_with_its_place() -> None:
    told = fault(
        {"SURR_TOP_K": "four", "SURR_TIMEZONE": "Mars/X"},
        {"retrieve": {"mix": "much"}},
        {"llm.provder": "x", "llm.deadline_s": "soon"},
    )
    assert "SURR_TOP_K must be a whole number, not 'four'" in told
    assert "SURR_TIMEZONE must be a time zone" in told
    assert "retrieve.mix in voice.toml must be a number, not 'much'" in told
    assert "the option llm.deadline_s must be a number, not 'soon'" in told
    assert "unknown setting 'llm.provder' (did you mean llm.provider?)" in told


@pytest.mark.requirement("s0:validation:max_candidates")
@pytest.mark.parametrize(("top_k", "expected"), [("10", 150), ("50", 150)])
def test_fewer_candidates_than_top_k_become_enough_of_them(top_k: str, expected: int) -> None:
    result = from_env(SURR_INNER_VOICE_TOPK_DEFAULT=top_k, SURR_INNER_VOICE_MAX_CANDIDATES_PER_SOURCE="5")
    assert result.settings.retrieve.max_candidates_per_source == expected
    assert result.warnings == (
        f"SURR_INNER_VOICE_MAX_CANDIDATES_PER_SOURCE is 5, less than top_k ({top_k}); using {expected}",
    )


@pytest.mark.requirement("ruling:C16")
def test_what_does_not_agree_is_named_by_the_place_where_it_was_set() -> None:
    def said(flags: dict[str, object], env: dict[str, str], file: dict[str, object]) -> str:
        (warning,) = parse_settings(flags, {"SURR_INNER_VOICE_FLOOR": "0.1", **env}, file).warnings
        return warning.partition(" is ")[0]

    assert said({}, {"SURR_INNER_VOICE_MIN_FLOOR": "0.2"}, {}) == "SURR_INNER_VOICE_MIN_FLOOR"
    assert said({}, {}, {"retrieve": {"min_floor": 0.2}}) == "retrieve.min_floor in voice.toml"
    assert said({"retrieve.min_floor": 0.2}, {}, {}) == "the option retrieve.min_floor"
    assert said({}, {}, {}) == "the default of retrieve.min_floor"


@pytest.mark.requirement("ruling:C16", "s0:validation:mix", "s0:validation:topk", "s0:validation:min_floor")
def test_what_was_put_right_of_retrieval_goes_with_its_settings_and_nothing_else_does() -> None:
    result = from_env(
        SURR_INNER_VOICE_MIX="3",
        SURR_INNER_VOICE_TOPK_DEFAULT="99",
        SURR_INNER_VOICE_MIN_FLOOR="7",
        SURR_INNER_VOICE_MAX_CANDIDATES_PER_SOURCE="1",
        SURR_NLQ_DEFAULT_LIMIT="300",
        SURR_TOPK="3",
    )
    assert [warning.split()[0] for warning in result.settings.retrieve.warnings] == [
        "SURR_INNER_VOICE_MIX",
        "SURR_INNER_VOICE_TOPK_DEFAULT",
        "SURR_INNER_VOICE_MIN_FLOOR",
        "SURR_INNER_VOICE_MAX_CANDIDATES_PER_SOURCE",
    ]
    assert set(result.settings.retrieve.warnings) < set(result.warnings)
    assert len(result.warnings) == 6


def test_limits_that_contradict_each_other_are_made_to_agree() -> None:
    result = from_env(SURR_INNER_VOICE_FLOOR="0.1", SURR_NLQ_DEFAULT_LIMIT="300", SURR_INNER_VOICE_WINDOW="3")
    agreed = result.settings
    assert (agreed.retrieve.min_floor, agreed.nlq.default_limit, agreed.session.window_keep) == (0.1, 100, 3)
    assert len(result.warnings) == 3
    assert "above floor" in result.warnings[0]


@pytest.mark.parametrize(("file", "said"), TABLES["an_unknown_key_is_ignored_with_a_hint_and_without_its_value"])
def test_an_unknown_key_is_ignored_with_a_hint_and_without_its_value(file: dict[str, object], said: str) -> None:
    result = parse_settings({}, {}, file)
    assert result.settings == Settings()
    assert len(result.warnings) == 1
    assert said in result.warnings[0]
    assert "sk-secret" not in result.warnings[0]


def test_a_mistyped_variable_is_pointed_out() -> None:
    assert from_env(SURR_TOPK="3", PATH="/bin").warnings == (
        "the environment has an unknown variable SURR_TOPK (did you mean SURR_TOP_K?); voice ignores it",
    )


@pytest.mark.requirement("ruling:A8", "s0:constraint:gate", "s0:acceptance:gate", "s2:tool:gate", "s2:guarantee:5")
def test_the_gate_is_shut_until_environment_or_file_opens_it() -> None:
    with pytest.raises(FeatureDisabled, match="set SURR_ENABLE_INNER_VOICE=1, or write enabled = true"):
        parse_settings({}, {}, {}).settings.gate.require()
    from_env(SURR_ENABLE_INNER_VOICE="1").settings.gate.require()
    parse_settings({}, {}, {"enabled": True}).settings.gate.require()
    shut = parse_settings({}, {"SURR_ENABLE_INNER_VOICE": "0"}, {"enabled": True})
    assert shut.settings.gate == GateSettings(enabled=False)


@pytest.mark.requirement("ruling:A23")
def test_a_missing_key_says_what_to_set_and_nothing_else_is_tried() -> None:
    llm = from_env(OPENAI_API_KEY="sk-other").settings.llm
    assert (llm.provider, llm.model, llm.api_key) == ("gemini", "gemini-2.5-pro", None)
    with pytest.raises(ConfigurationError, match="gemini needs a key: set GEMINI_API_KEY or GOOGLE_API_KEY"):
        llm.require_key()


@pytest.mark.requirement("ruling:D24")
@pytest.mark.parametrize(("provider", "variable"), TABLES["only_the_chosen_vendors_key_is_taken"])
def test_only_the_chosen_vendors_key_is_taken(provider: str, variable: str) -> None:
    env = {"SURR_INNER_VOICE_PROVIDER": provider, "SURR_INNER_VOICE_MODEL": "m", "COHERE_API_KEY": "sk-other"}
    result = parse_settings({}, env | {variable: " sk-mine "}, {})
    assert result.settings.llm.require_key() == "sk-mine"
    assert result.origins["llm.api_key"] == "env"
    assert parse_settings({}, env, {}).settings.llm.api_key is None


@pytest.mark.requirement("ruling:D24")
def test_a_server_of_ones_own_never_gets_a_vendors_key() -> None:
    env = {
        "SURR_INNER_VOICE_PROVIDER": "openai",
        "SURR_INNER_VOICE_MODEL": "qwen",
        "SURR_INNER_VOICE_API_BASE": "http://127.0.0.1:8080/v1",
        "OPENAI_API_KEY": "sk-vendor",
    }
    assert parse_settings({}, env, {}).settings.llm.require_key() is None
    own = parse_settings({}, env | {"SURR_INNER_VOICE_API_KEY": "local"}, {}).settings.llm
    assert own.require_key() == "local"


@pytest.mark.parametrize("provider", ["extractive", "scripted"])
def test_an_offline_provider_needs_no_key_and_names_its_own_model(provider: str) -> None:
    llm = from_env(SURR_INNER_VOICE_PROVIDER=provider).settings.llm
    assert (llm.model, llm.require_key(), key_names(provider)) == (provider, None, ())


def test_another_provider_needs_a_model() -> None:
    assert (
        fault({"SURR_INNER_VOICE_PROVIDER": "openai"})
        == "the provider openai needs a model: set SURR_INNER_VOICE_MODEL"
    )


def test_a_remote_embedder_needs_model_and_dimension() -> None:
    told = fault({"SURR_EMBED_PROVIDER": "openai"})
    assert "needs a model: set SURR_EMBED_MODEL" in told
    assert "needs a dimension: set SURR_EMBED_DIM" in told


def test_a_remote_embedder_gets_its_vendors_key() -> None:
    env = {"SURR_EMBED_PROVIDER": "openai", "SURR_EMBED_MODEL": "e", "SURR_EMBED_DIM": "8", "OPENAI_API_KEY": "sk-e"}
    result = parse_settings({}, env, {})
    assert (result.settings.embed.api_key, result.settings.llm.api_key) == ("sk-e", None)
    assert (result.origins["embed.api_key"], result.origins["llm.api_key"]) == ("env", "default")


@pytest.mark.requirement("promise:6")
def test_no_secret_is_in_a_repr_or_a_message() -> None:
    env = {"GEMINI_API_KEY": "canary-key", "SURR_DB_PASS": "canary-pass"}
    assert "canary" not in repr(parse_settings({}, env, {}))
    told = fault(
        {"SURR_INNER_VOICE_API_KEY": "canary\x00", "SURR_DB_PASS": "canary\npass", "SURR_DB_URL": "ws://u:canary@h"}
    )
    assert "canary" not in told
    assert told.count(";") >= 2
