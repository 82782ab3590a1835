"""The methods of `Client`: one class for each subject of the API."""

from machi.requests.accounts import Accounts
from machi.requests.audit import Audit
from machi.requests.catalogue import Catalogue
from machi.requests.commands import Commands
from machi.requests.events import Events
from machi.requests.invitations import Invitations
from machi.requests.ladders import Ladders
from machi.requests.matches import Matches
from machi.requests.notifications import Notifications
from machi.requests.reviews import Reviews

__all__ = [
    "Accounts",
    "Audit",
    "Catalogue",
    "Commands",
    "Events",
    "Invitations",
    "Ladders",
    "Matches",
    "Notifications",
    "Reviews",
]
