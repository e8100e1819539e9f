"""Where one can go from every page.

Law: a section is named here once, in the order in which it is shown; its pages are under its address.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Section:
    """One place in the navigation."""

    name: str
    path: str
    group: str
    """The heading it stands under."""

    def holds(self, path: str) -> bool:
        """Return whether the page at `path` is one of its own."""
        return path == self.path or (self.path != "/" and path.startswith(f"{self.path}/"))


SECTIONS: tuple[Section, ...] = (
    Section("Chat", "/", "Talk"),
    Section("Sessions", "/sessions", "Talk"),
    Section("Add", "/add", "Memory"),
    Section("Import", "/import", "Memory"),
    Section("Sources", "/sources", "Memory"),
    Section("Picture", "/graph", "Memory"),
    Section("Review", "/review", "Memory"),
    Section("Pins", "/pins", "Memory"),
    Section("Reports", "/reports", "Upkeep"),
    Section("Settings", "/settings", "Upkeep"),
    Section("Doctor", "/doctor", "Upkeep"),
)


def section_of(path: str) -> Section | None:
    """Return the section that the page at `path` belongs to; a conversation belongs to the first one."""
    if path.startswith("/chat/"):
        return SECTIONS[0]
    return next((section for section in SECTIONS if section.holds(path)), None)


def groups() -> dict[str, list[Section]]:
    """Return the sections under their headings, both in the order in which they are shown."""
    grouped: dict[str, list[Section]] = {}
    for section in SECTIONS:
        grouped.setdefault(section.group, []).append(section)
    return grouped
