"""Maximum matchings of graphs: as many disjoint pairs of neighbours as there can be.

This is Edmonds' blossom algorithm: it looks for augmenting paths breadth first and contracts odd cycles.
"""

from collections.abc import Sequence

_NONE = -1


def pair_count(neighbours: Sequence[Sequence[int]]) -> int:
    """The number of pairs in a maximum matching; `neighbours` lists those of each vertex, both ways."""
    mates = _greedy(neighbours)
    for root in range(len(mates)):
        if mates[root] == _NONE:
            _Search(neighbours, mates).augment(root)
    return sum([mate != _NONE for mate in mates]) // 2


def _greedy(neighbours: Sequence[Sequence[int]]) -> list[int]:
    """Each vertex in order with its first free neighbour."""
    mates = [_NONE] * len(neighbours)
    for vertex, others in enumerate(neighbours):
        free = next((other for other in others if mates[other] == _NONE), _NONE)
        if mates[vertex] == _NONE and free != _NONE:
            mates[vertex], mates[free] = free, vertex
    return mates


class _Search:
    """The search for one augmenting path."""

    def __init__(self, neighbours: Sequence[Sequence[int]], mates: list[int]) -> None:
        self._neighbours = neighbours
        self._mates = mates
        self._parents = [_NONE] * len(mates)
        self._bases = [*range(len(mates))]
        """By vertex: the base of the blossom that it is contracted into."""
        self._is_outer = [False] * len(mates)

    def augment(self, root: int) -> None:
        """Match the root with one more vertex, if there is a way."""
        end = self._end_of_path(root)
        while end != _NONE:
            parent = self._parents[end]
            following = self._mates[parent]
            self._mates[end], self._mates[parent] = parent, end
            end = following

    def _end_of_path(self, root: int) -> int:
        self._is_outer[root] = True
        queue = [root]
        for vertex in queue:
            for other in self._neighbours[vertex]:
                if self._bases[vertex] == self._bases[other] or self._mates[vertex] == other:
                    continue
                mate = self._mates[other]
                if other == root or (mate != _NONE and self._parents[mate] != _NONE):
                    self._contract(vertex, other, queue)
                elif self._parents[other] == _NONE:
                    self._parents[other] = vertex
                    if mate == _NONE:
                        return other
                    self._is_outer[mate] = True
                    queue.append(mate)
        return _NONE

    def _contract(self, a: int, b: int, queue: list[int]) -> None:
        """Contract the odd cycle that the edge between two outer vertices closes."""
        base = self._common_base(a, b)
        blossom: set[int] = set()
        self._mark(a, base, b, blossom)
        self._mark(b, base, a, blossom)
        for vertex in range(len(self._bases)):
            if self._bases[vertex] in blossom:
                self._bases[vertex] = base
                if not self._is_outer[vertex]:
                    self._is_outer[vertex] = True
                    queue.append(vertex)

    def _common_base(self, a: int, b: int) -> int:
        passed: set[int] = set()
        while True:
            a = self._bases[a]
            passed.add(a)
            if self._mates[a] == _NONE:
                break
            a = self._parents[self._mates[a]]
        b = self._bases[b]
        while b not in passed:
            b = self._bases[self._parents[self._mates[b]]]
        return b

    def _mark(self, vertex: int, base: int, child: int, blossom: set[int]) -> None:
        while self._bases[vertex] != base:
            mate = self._mates[vertex]
            blossom |= {self._bases[vertex], self._bases[mate]}
            self._parents[vertex] = child
            child = mate
            vertex = self._parents[mate]
