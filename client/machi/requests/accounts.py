"""Requests about accounts and their tokens."""

from collections.abc import Sequence
from typing import Final

from contract.accounts import AccountWithToken, Me, Token, TokenWithSecret
from machi.decoding import decoded
from machi.errors import ApiError
from machi.requests.sending import Requests
from machi.transport import segment

SHORTEST_SECRET: Final = 22
"""Characters of a key that nobody is to guess."""


class Accounts(Requests):
    """The account that the client speaks for."""

    _own_token_id: str | None = None
    """Of the token in use; None until `me` has told."""

    def sign_up(self, handle: str, seating: str | None = None, *, key: str | None = None) -> AccountWithToken:
        """A new account. A client without a token speaks for it from now on.

        `seating` says who may seat it in matches: `nobody`, `allowed` (the default: the others are to ask) or
        `anybody`, as a bot likes it. Who guesses the `key` gets the token: it has 22 characters at least.
        """
        if key is not None and len(key) < SHORTEST_SECRET:
            raise ValueError(f"the key of a new account has {SHORTEST_SECRET} characters at least")
        body = {"handle": handle} if seating is None else {"handle": handle, "seating": seating}
        account = decoded(AccountWithToken, self._post("/v1/accounts", body, key).body)
        if not self._transport.has_token:
            self._transport.use_token(account.token)
        return account

    def me(self) -> Me:
        """The account and the token in use."""
        me = decoded(Me, self._get("/v1/me"))
        self._own_token_id = me.token.token_id
        return me

    def tokens(self) -> tuple[Token, ...]:
        """The tokens of the account, the oldest first."""
        return tuple(decoded(Token, item) for item in self._items("/v1/me/tokens"))

    def create_token(
        self, name: str, scopes: Sequence[str], expires_at: str | None = None, *, key: str | None = None
    ) -> TokenWithSecret:
        """A further token. `expires_at` is RFC 3339; without it, 90 days from now."""
        body = {"name": name, "scopes": list(scopes), "expires_at": expires_at}
        return decoded(TokenWithSecret, self._post("/v1/me/tokens", body, key).body)

    def delete_token(self, token_id: str) -> None:
        """Let the token end, be it the one in use.

        It is gone, too, when a try got no answer and the next one does not find it, or is refused because
        the token in use, known from `me`, was the one to end.
        """
        try:
            self._transport.request("DELETE", f"/v1/me/tokens/{segment(token_id)}")
        except ApiError as error:
            # With a token that was never valid a 401 says nothing of another token.
            gone = (401, 404) if token_id == self._own_token_id else (404,)
            if not (error.may_be_done and error.status in gone):
                raise
