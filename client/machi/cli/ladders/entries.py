"""Finding the entry of a ladder that is meant."""

from machi.cli.session import WrongUse, one_line
from machi.client import Client


def entry_named(client: Client, ladder_id: str, name: str) -> str:
    """The id of the entry of that name that takes part, or of the one of that id.

    Raises:
        WrongUse: there is none.
    """
    entries = client.ladder(ladder_id).entries
    found = [one for one in entries if name == one.entry_id]
    found = found or [one for one in entries if name == one.name and one.status != "removed"]
    if len(found) != 1:
        raise WrongUse(f"no entry of the ladder is called {one_line(name)!r}")
    return found[0].entry_id
