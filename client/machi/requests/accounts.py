"""Requests about accounts and tokens."""

from collections.abc import Sequence
from typing import Final

from contract.accounts import AccountWithToken, Token, TokenWithSecret
from machi.answers import decoded
from machi.errors import ApiError
from machi.requests.subject import RequestGroup
from machi.transport import segment
from machi.values import Me

SHORTEST_SECRET: Final = 22
"""Minimum length of a key that nobody must guess, in characters."""


class Accounts(RequestGroup):
    """The account of the client."""

    _own_token_id: str | None = None
    """The id of the token in use; None until `me` was called."""

    def sign_up(self, handle: str, seating: str | None = None, *, key: str | None = None) -> AccountWithToken:
        """Create an account. A client without a token uses the new one from now on.

        `seating` is who may seat the account in matches: `nobody`, `allowed` (the default; others have to
        invite it) or `anybody` (for bots). A `key` must have at least 22 characters, because whoever guesses
        it gets the token.
        """
        if key is not None and len(key) < SHORTEST_SECRET:
            raise ValueError(f"the key of a new account must have at least {SHORTEST_SECRET} characters")
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

    def delete_account(self, handle: str) -> None:
        """Delete the account for ever; `handle` must be its own, as confirmation.

        If one try got no response, the account counts as deleted when the next try gets 401.
        """
        try:
            self._transport.request("DELETE", "/v1/me", {"handle": handle})
        except ApiError as error:
            if not (error.may_be_done and error.status == 401):
                raise

    def tokens(self) -> tuple[Token, ...]:
        """The tokens of the account, the oldest first."""
        return tuple(decoded(Token, item) for item in self._items("/v1/me/tokens"))

    def create_token(
        self, name: str, scopes: Sequence[str], expires_at: str | None = None, *, key: str | None = None
    ) -> TokenWithSecret:
        """Create a further token. `expires_at` is RFC 3339; the default is 90 days from now."""
        body = {"name": name, "scopes": list(scopes), "expires_at": expires_at}
        return decoded(TokenWithSecret, self._post("/v1/me/tokens", body, key).body)

    def delete_token(self, token_id: str) -> None:
        """Delete a token, which may be the one in use.

        If one try got no response, the token counts as deleted when the next try gets 404, or 401 for the
        token in use, as known from `me`.
        """
        try:
            self._transport.request("DELETE", f"/v1/me/tokens/{segment(token_id)}")
        except ApiError as error:
            # A 401 may mean that the token in use was never valid; it says nothing about other tokens.
            gone = (401, 404) if token_id == self._own_token_id else (404,)
            if not (error.may_be_done and error.status in gone):
                raise
