"""The job of a worker that plays a round."""

from workers.ladders.place import Place
from workers.ladders.rounds import Counts, Share


def work(place: Place, ladder_id: str, round: int) -> Counts:
    """Play the round on for about a second.

    Raises:
        LadderNotFound: there is no such ladder (any more).
        StoreUnavailable: what is not recorded will be found and recorded by another job.
    """
    share = Share(place, ladder_id, round)
    return share.play() if round <= len(share.ladder.state.rounds) else share.counts
