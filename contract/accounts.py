"""Accounts and their tokens."""

from typing import Annotated, Any

from msgspec.structs import asdict

from contract.names import Scope, SeatingPolicy
from contract.values import Answer, Instant, length


class Secret(Answer, frozen=True):
    """A response with a token or another secret, which `repr` leaves out."""

    def __rich_repr__(self) -> list[tuple[str, Any]]:
        return [(name, value) for name, value in asdict(self).items() if name not in ("token", "secret")]

    def __repr__(self) -> str:
        shown = ", ".join([f"{name}={value!r}" for name, value in self.__rich_repr__()])
        return f"{type(self).__name__}({shown})"


Scopes = Annotated[tuple[Scope, ...], length(1, 5)]


class AccountWithToken(Secret, frozen=True):
    """A new account and its first token."""

    account_id: str
    handle: str
    token: str


class Token(Answer, frozen=True):
    """A token without its secret."""

    token_id: str
    name: str
    scopes: Scopes
    created_at: Instant
    expires_at: Instant


class Me(Answer, frozen=True):
    """The account of the caller, and the token in use."""

    account_id: str
    handle: str
    created_at: Instant
    seating: SeatingPolicy
    token: Token


class ListedAccount(Answer, frozen=True):
    """An account in a list."""

    account_id: str
    handle: str


class AccountList(Answer, frozen=True):
    """All accounts of a list."""

    items: Annotated[tuple[ListedAccount, ...], length(0, 1000)]
    next: str | None


class TokenWithSecret(Secret, Token, frozen=True):
    """A new token with its secret."""

    token: str


class TokenPage(Answer, frozen=True):
    """The tokens of an account."""

    items: tuple[Token, ...]
    next: str | None
