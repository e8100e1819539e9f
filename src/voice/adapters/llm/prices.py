"""What a token costs, from a table that is installed with the program.

Law: no network; unknown is None and never zero (ruling D18). A price belongs to the vendor's own endpoint: a namesake
on another server costs what that server's owner says, which is unknown here. The table is imported when first asked.
"""

from datetime import UTC, date, datetime, time
from decimal import Decimal

from voice.core.usage import Price

_TABLE_NAME_OF = {
    "gemini": "google",
    "openai": "openai",
    "anthropic": "anthropic",
    "xai": "x-ai",
    "groq": "groq",
    "mistral": "mistral",
    "deepseek": "deepseek",
    "cohere": "cohere",
    "together_ai": "together",
    "fireworks_ai": "fireworks",
    "openrouter": "openrouter",
    "perplexity": "perplexity",
    "moonshot": "moonshotai",
    "cerebras": "cerebras",
}


def price_for(provider: str, model: str, *, on: date, prompt_tokens: int) -> Price | None:
    """Return the price of `model` in force on a day, or None when the table does not know it.

    Args:
        provider: the vendor, as litellm names it.
        model: the model, as its vendor names it.
        on: the day; prices of the past stay what they were.
        prompt_tokens: the longest prompt that will be sent; a vendor may charge long prompts by another tier.
    """
    table_name = _TABLE_NAME_OF.get(provider)
    if table_name is None:
        return None
    import genai_prices  # noqa: PLC0415 - a third of a second that most commands never need
    from genai_prices.types import TieredPrices  # noqa: PLC0415 - only when a price is asked for

    moment = datetime.combine(on, time(12), UTC)
    try:
        found = genai_prices.calc_price(
            genai_prices.Usage(input_tokens=1, output_tokens=1),
            model,
            provider_id=table_name,
            genai_request_timestamp=moment,
        )
    except (LookupError, ValueError):
        return None

    def rate(name: str) -> Decimal | None:
        value: object = getattr(found.model_price, name, None)
        if isinstance(value, TieredPrices):
            reached = [tier.price for tier in value.tiers if prompt_tokens >= tier.start]
            return max([value.base, *reached])
        return value if isinstance(value, Decimal) else None

    incoming, outgoing = rate("input_mtok"), rate("output_mtok")
    if incoming is None or outgoing is None:
        return None
    return Price(
        input_per_million=incoming,
        output_per_million=outgoing,
        cached_input_per_million=rate("cache_read_mtok"),
        source=f"genai-prices {genai_prices.__version__}",
        as_of=on.isoformat(),
    )
