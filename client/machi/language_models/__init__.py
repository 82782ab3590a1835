"""Language models as players; see docs/language-models.md."""

from machi.language_models.answer import Unreadable, move_in
from machi.language_models.endpoint import Endpoint, ModelFailed, NoAnswer, Reply
from machi.language_models.player import Decision, LanguageModelPlayer, Model, Try
from machi.language_models.prompt import prompt_of
from machi.language_models.rules import rules_in_short

__all__ = [
    "Decision",
    "Endpoint",
    "LanguageModelPlayer",
    "Model",
    "ModelFailed",
    "NoAnswer",
    "Reply",
    "Try",
    "Unreadable",
    "move_in",
    "prompt_of",
    "rules_in_short",
]
