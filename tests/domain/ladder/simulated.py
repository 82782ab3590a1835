"""Results of simulated ladders whose true strengths are known."""

from collections.abc import Iterable, Sequence
from hashlib import sha256
from random import Random

from domain.canonical import sha256 as digest_of
from domain.ladder.config import LadderConfig, RatingRules, digest
from domain.ladder.results import (
    EntryLine,
    LadderLine,
    Line,
    LinePlayer,
    MatchLuck,
    ResultLine,
    Results,
    StrategyPlayer,
    read,
    rotated,
    write,
)
from domain.match.events import Options

_HEAD = digest_of(b"head")


def collect(lines: Iterable[Line], *, with_stand_ins: bool = False) -> Results:
    """The results in these lines, read as a stranger reads them."""
    return read(write(lines).splitlines(), with_stand_ins=with_stand_ins)


def config(seats: int = 2, *, seed: str = "s", replicates: int = 200, **rules: object) -> LadderConfig:
    return LadderConfig(
        ruleset="base",
        rules_version="1",
        rules_digest="sha-256:00",
        options=Options(),
        seats=seats,
        seed=sha256(seed.encode()).hexdigest(),
        rating=RatingRules(replicates=replicates, **rules),  # type: ignore[arg-type]
    )


def ladder(settings: LadderConfig) -> LadderLine:
    return LadderLine("lad_1", "Open", 1, settings, digest(settings))


def entry(name: str, player: LinePlayer | None = None, owner: str = "service") -> EntryLine:
    return EntryLine(f"ent_{name}", player or StrategyPlayer(name, "1"), name, owner)


def match(
    block: int, rotation: int, base: Sequence[str], winner: int, luck: MatchLuck | None = None
) -> ResultLine:
    """The result of that rotation, won by that seat."""
    return ResultLine(
        ladder="lad_1",
        season=1,
        round=1,
        block=block,
        rotation=rotation,
        match_id=f"mat_{block}_{rotation}",
        seats=rotated(base, rotation),
        winner=winner,
        turns=30,
        version=200,
        head=_HEAD,
        timeouts=(0,) * len(base),
        errors=(0,) * len(base),
        luck=luck,
    )


def winner(table: Sequence[str], strengths: dict[str, float], seats: Sequence[float], chance: Random) -> int:
    """A seat, drawn by strength and the factor of the seat."""
    weights = [strengths[name] * factor for name, factor in zip(table, seats, strict=True)]
    return chance.choices(range(len(table)), weights)[0]


def season(
    strengths: dict[str, float], seats: Sequence[float], blocks: int, seed: int, settings: LadderConfig
) -> list[Line]:
    """A ladder's lines: strategies of those strengths, at tables drawn at random."""
    chance = Random(seed)
    lines: list[Line] = [ladder(settings), *[entry(name) for name in strengths]]
    by_entry = {f"ent_{name}": strength for name, strength in strengths.items()}
    for block in range(1, blocks + 1):
        base = chance.sample(sorted(by_entry), len(seats))
        for rotation in range(len(seats)):
            won = winner(rotated(base, rotation), by_entry, seats, chance)
            lines.append(match(block, rotation, base, won))
    return lines
