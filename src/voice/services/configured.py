"""What the services need of the settings, in their own words.

Law: one place says which setting a service reads where; a service never sees the settings as a whole.

Source: DESIGN 3; STYLE 12.
"""

from voice.core.context.build import SUMMARY_SHARE
from voice.core.grounding.values import Stance
from voice.core.nlq.values import NlqSettings
from voice.core.organise.request import OrganiseDefaults
from voice.core.settings.values import Settings
from voice.services.model_reading import ReadingLimits
from voice.services.session_life import LifeSettings
from voice.services.spending import SpendCaps
from voice.services.summaries import SummarySettings
from voice.services.turn import AskSettings


def nlq_settings(settings: Settings) -> NlqSettings:
    """Return how questions are read."""
    return NlqSettings(
        week_start=settings.time.week_start,
        hemisphere=settings.time.hemisphere,
        language=settings.nlq.language,
        date_order=settings.time.date_order,
        max_keywords=settings.nlq.max_keywords,
        default_limit=settings.nlq.default_limit,
        max_limit=settings.nlq.max_limit,
        timeout_ms=settings.nlq.timeout_ms,
    )


def summary_settings(settings: Settings) -> SummarySettings:
    """Return what shapes a summary that is made again outside of a turn."""
    return SummarySettings(
        max_tokens=int(settings.llm.max_prompt_tokens * SUMMARY_SHARE),
        timezone=settings.time.timezone,
        quarantine=settings.llm.quarantine_instructions,
    )


def life_settings(settings: Settings) -> LifeSettings:
    """Return when a session expires, and what shapes the summary of a fork."""
    return LifeSettings(
        timeout_hours=settings.session.timeout_hours,
        max_tokens=int(settings.llm.max_prompt_tokens * SUMMARY_SHARE),
        timezone=settings.time.timezone,
        window_limit=settings.session.window_limit,
        window_keep=settings.session.window_keep,
    )


def spend_caps(settings: Settings) -> SpendCaps:
    """Return the caps on what was spent."""
    group = settings.llm
    return SpendCaps(
        turn=group.max_turn_cost,
        session=group.max_session_cost,
        day=group.max_day_cost,
        month=group.max_month_cost,
        on_unknown_price=group.on_unknown_price,
    )


def ask_settings(settings: Settings) -> AskSettings:
    """Return what a turn needs of the settings."""
    return AskSettings(
        policy=settings.grounding,
        overrides={
            Stance.SYNTHESIZE: settings.synthesize,
            Stance.CHALLENGE: settings.challenge,
            Stance.QUESTION: settings.question,
        },
        nlq=nlq_settings(settings),
        timezone=settings.time.timezone,
        max_prompt_tokens=settings.llm.max_prompt_tokens,
        max_output_tokens=settings.llm.max_output_tokens,
        temperature=settings.llm.temperature,
        deadline_s=settings.llm.deadline_s,
        session_timeout_hours=settings.session.timeout_hours,
        window_limit=settings.session.window_limit,
        window_keep=settings.session.window_keep,
        summary=settings.session.summary,
        evidence_limit=settings.llm.evidence_limit,
        floor=settings.retrieve.floor,
        min_floor=settings.retrieve.min_floor,
        allow_private_remote=settings.privacy.allow_private_remote,
        stream=settings.llm.stream,
        quarantine_instructions=settings.llm.quarantine_instructions,
        metrics=settings.privacy.metrics and not settings.privacy.no_log,
        cost_tracking=settings.llm.cost_tracking,
        phrase_filter=settings.nlq.enable_keyword_filter,
    )


def organise_defaults(settings: Settings) -> OrganiseDefaults:
    """Return what the organising tool does where nothing is said."""
    group = settings.organise
    return OrganiseDefaults(
        top_k=group.top_k,
        sim_thresh=group.sim_thresh,
        db_limit=group.db_limit,
        auto_mark_removal=group.auto_mark_removal,
    )


def reading_limits(settings: Settings) -> ReadingLimits:
    """Return what a model that reads notes may take and be shown."""
    return ReadingLimits(
        deadline_s=settings.llm.deadline_s,
        max_prompt_tokens=settings.llm.max_prompt_tokens,
        max_output_tokens=settings.llm.max_output_tokens,
        allow_private_remote=settings.privacy.allow_private_remote,
        quarantine_instructions=settings.llm.quarantine_instructions,
    )
