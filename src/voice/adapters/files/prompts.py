"""The released prompts, as files packaged with the program.

Law: prompts are read from the package only; `prompts/` at the top of the repository is that package folder.
"""

from importlib import resources
from pathlib import Path

from voice.core.context.prompt_templates import PromptTemplate, parse_template
from voice.core.errors import ConfigurationError


def load_prompts() -> tuple[PromptTemplate, ...]:
    """Return every released prompt, by name and version. Raises ConfigurationError: a file is not a prompt, or there is
    none."""
    files = [item for item in prompts_folder().iterdir() if item.name.endswith(".md") and item.name != "README.md"]
    templates = [parse_template(item.read_text(encoding="utf-8"), file_name=item.name) for item in files]
    if not templates:
        raise ConfigurationError("the installed package holds no prompts; install it again")
    return tuple(sorted(templates, key=lambda template: (template.name, template.version)))


def prompts_folder() -> Path:
    """Return the folder of the prompts: inside an installed wheel, or at the top of a source checkout."""
    packaged = Path(str(resources.files("voice"))) / "prompts"
    # From src/voice/adapters/files to the top.
    return packaged if packaged.is_dir() else Path(__file__).resolve().parents[4] / "prompts"
