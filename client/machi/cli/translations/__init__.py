"""The text that `machi play` and `watch` print themselves, in every language.

A translation is data: whole lines with places to fill in, so that no code assembles grammar. Names of cards
and sentences of events come from elsewhere.
"""

from typing import Final

from machi.cli.translations import cs, en, it, ru, uk
from machi.cli.translations.translation import Translation

__all__ = ["ENGLISH", "TRANSLATIONS", "Translation"]

ENGLISH: Final = en.TRANSLATION

TRANSLATIONS: Final[dict[str, Translation]] = {
    "en": ENGLISH,
    "uk": uk.TRANSLATION,
    "ru": ru.TRANSLATION,
    "cs": cs.TRANSLATION,
    "it": it.TRANSLATION,
}
"""By the codes of `machi.cli.options.LANGUAGES`."""
