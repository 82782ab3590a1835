"""Ed25519 as RFC 8032 tells it, in whole numbers and slowly: what checks signatures beside the library."""

import hashlib
from typing import NamedTuple

P = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P
ROOT_OF_MINUS_ONE = pow(2, (P - 1) // 4, P)


class Point(NamedTuple):
    x: int
    y: int


def added(one: Point, other: Point) -> Point:
    product = D * one.x * other.x * one.y * other.y
    x = (one.x * other.y + other.x * one.y) * pow(1 + product, -1, P) % P
    y = (one.y * other.y + one.x * other.x) * pow(1 - product, -1, P) % P
    return Point(x, y)


def times(factor: int, point: Point) -> Point:
    total = Point(0, 1)
    for bit in f"{factor:b}":
        total = added(total, total)
        if bit == "1":
            total = added(total, point)
    return total


def x_of(y: int, is_odd: int) -> int:
    """The first coordinate of the point on the curve."""
    square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    x = pow(square, (P + 3) // 8, P)
    if x * x % P != square:
        x = x * ROOT_OF_MINUS_ONE % P
    assert x * x % P == square, "no point of the curve"
    return P - x if x % 2 != is_odd else x


def decoded(raw: bytes) -> Point:
    number = int.from_bytes(raw, "little")
    y, is_odd = number % 2**255, number >> 255
    return Point(x_of(y, is_odd), y)


BASE_Y = 4 * pow(5, -1, P) % P
BASE = Point(x_of(BASE_Y, 0), BASE_Y)


def is_signed(public_key: bytes, message: bytes, signature: bytes) -> bool:
    """Whether the 64 bytes are the signature of the message by the key of 32 bytes."""
    raw_point, factor = signature[:32], int.from_bytes(signature[32:], "little")
    digest = hashlib.sha512(raw_point + public_key + message).digest()
    challenge = int.from_bytes(digest, "little") % ORDER
    expected = added(decoded(raw_point), times(challenge, decoded(public_key)))
    return factor < ORDER and times(factor, BASE) == expected
