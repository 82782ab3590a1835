"""Names, texts and sentences in each language."""
