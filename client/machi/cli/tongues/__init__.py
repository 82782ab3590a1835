"""What `machi play` and `watch` say themselves, in every language; cards and sentences come from the service.

A language is data: whole lines with places to fill in, so that no grammar is put together in code.
"""

from typing import Final

from machi.cli.tongues import cs, en, it, ru, uk
from machi.cli.tongues.tongue import Tongue

__all__ = ["ENGLISH", "TONGUES", "Tongue"]

ENGLISH: Final = en.TONGUE

TONGUES: Final[dict[str, Tongue]] = {
    "en": ENGLISH,
    "uk": uk.TONGUE,
    "ru": ru.TONGUE,
    "cs": cs.TONGUE,
    "it": it.TONGUE,
}
"""By the codes of `machi.cli.lists.LANGUAGES`."""
