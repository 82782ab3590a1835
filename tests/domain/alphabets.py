"""The letters of each language."""

LETTERS = {
    "en": "abcdefghijklmnopqrstuvwxyzé",
    "uk": "абвгґдеєжзиіїйклмнопрстуфхцчшщьюя",
    "ru": "абвгдеёжзийклмнопрстуфхцчшщъыьэюя",
    "cs": "aábcčdďeéěfghiíjklmnňoópqrřsštťuúůvwxyýzž",
    "it": "aàbcdeèéfghiìjklmnoòpqrstuùvwxyz",
}
"""The alphabet of each language: a letter that looks alike in another one is a slip."""


def strange_letters(language: str, text: str) -> str:
    """The letters of the text that the language does not have."""
    return "".join(letter for letter in text.lower() if letter.isalpha() and letter not in LETTERS[language])
