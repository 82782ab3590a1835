"""Reviews of finished matches: who was how likely to win after every event, by luck and by skill.

`walk` finds the decisions, rolls and draws of a match, `judging` values them, `curve` makes the chances add
up, and `reviewer` does all of it, step by step. The numbers are the same on all machines, whether the kernel
is compiled or not. docs/reviews.md tells the method.
"""

from typing import Final

from review.walk import NotReviewable

__all__ = ["JUDGE_VERSION", "NotReviewable"]

JUDGE_VERSION: Final = 8
"""The version of the method: increased whenever the same match may get other numbers. It is here so that the
web processes can know it without the kernel."""
