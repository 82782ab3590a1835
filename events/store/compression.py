"""Compression of stored events: zstd with a dictionary of what events look like.

What was compressed with a dictionary can be read with that dictionary only, so it is as much a part of the
data as the data itself: it never changes, and a better one gets a file and a format of its own.
"""

import threading
from pathlib import Path
from typing import Final

import zstandard

DICTIONARY_FILE: Final = Path(__file__).parent / "events-1.zdict"
"""Made by `python -m training.dictionary`."""

LARGEST: Final = 64 << 20
"""Bytes that anything may unpack to; a match of a thousand turns has less than a hundredth of that."""

MAGIC: Final = zstandard.FRAME_HEADER
"""What every frame of zstd begins with (RFC 8878)."""

_DICTIONARY: Final = zstandard.ZstdCompressionDict(DICTIONARY_FILE.read_bytes())
_ENTRY_LEVEL, _FILE_LEVEL = 3, 19
_DICTIONARY.precompute_compress(_ENTRY_LEVEL)

_for_entries: Final = zstandard.ZstdCompressor(_ENTRY_LEVEL, _DICTIONARY, write_dict_id=False)
_decompressor: Final = zstandard.ZstdDecompressor(_DICTIONARY)
_lock: Final = threading.Lock()
"""Neither of the two may be used by several threads at once; to make new ones each time takes ten times as
long."""


def compress_entry(data: bytes) -> bytes:
    """A frame without its magic number and the id of its dictionary, which are always the same."""
    with _lock:
        return _for_entries.compress(data)[len(MAGIC) :]


def decompress_entry(data: bytes) -> bytes:
    """What `compress_entry` was given.

    Raises:
        ValueError: it is no such frame.
    """
    return decompress_file(MAGIC + data)


def compress_file(data: bytes) -> bytes:
    """A whole frame, as small as it gets; it names its dictionary."""
    dictionary = zstandard.ZstdCompressionDict(_DICTIONARY.as_bytes())
    return zstandard.ZstdCompressor(_FILE_LEVEL, dictionary).compress(data)


def decompress_file(data: bytes) -> bytes:
    """What `compress_file` was given.

    Raises:
        ValueError: it is no such frame, there is more than one, or it holds more than `LARGEST` bytes.
    """
    try:
        if not 0 <= zstandard.frame_content_size(data) <= LARGEST:
            raise ValueError("it is longer than it may be")
        with _lock:
            return _decompressor.decompress(data, allow_extra_data=False)
    except zstandard.ZstdError as error:
        raise ValueError(str(error)) from error
