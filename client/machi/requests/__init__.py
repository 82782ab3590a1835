"""What the service can be asked: the methods of `Client`, one class for each subject."""

from machi.requests.accounts import Accounts
from machi.requests.auditing import Auditing
from machi.requests.catalogue import Catalogue
from machi.requests.events import Events
from machi.requests.invitations import Invitations
from machi.requests.ladders import Ladders
from machi.requests.matches import Matches
from machi.requests.playing import Playing

__all__ = [
    "Accounts",
    "Auditing",
    "Catalogue",
    "Events",
    "Invitations",
    "Ladders",
    "Matches",
    "Playing",
]
