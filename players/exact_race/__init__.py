"""Exact chances of winning in a race: a match in which landmarks are all that seats still build.

In the *restricted game* nobody buys an establishment, trades or resigns, and matches have no limit of
turns. Its chances are computed to 1e-9. The *bounded game* allows a few purchases from a list. Each seat
maximises its own chance in every decision: how many dice, whether to throw again, whether to add to the
total, who pays, and what to build or to leave. Among equal options it takes the first in an order that
`deciding` names.

For a roller r with coins c in cities k, a turn has the value

    V_k(r, c) = max over the number of dice of the mean over rolls of max(W(roll), mean of W),
    W(roll)   = max over totals, mean over the boats, max over who pays of B(c after the throw),
    B(c)      = max of V_k(next, c + idle income) and, for each build, V_k'(next, c - price) or a win,

where the mean of W counts only with a landmark that lets throw again, next is r if another turn follows, and
every maximum is that of r's own chance. Such values are the limit of iterations from 0, which end with the
chances of winning in finitely many turns.

What throws pay, what may be built and what it costs come from the kernel, which plays every throw and every
build. Nothing here knows a card.

Coins above a top count as the top (`Race.tops`). Without payments between seats this is exact, because nobody
has a use for more than the prices of what it still needs. With payments, the top leaves room for as many of
the highest payments as a seat can meet in the turns that it needs (`Race.is_proved`): a richer seat can pay
for everything whatever happens, and builds in every turn. If opponents may take from a seat in further turns
after doubles, if a card takes a share of all coins, or if the room would be above `MOST_ROOM`, this is no
proof; docs/players.md has the error that was measured.
"""
