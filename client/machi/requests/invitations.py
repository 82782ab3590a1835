"""Requests about who may seat the caller: its seating policy, its lists and its invitations."""

import msgspec

from machi.answers import RawPage, decoded
from machi.matches import Joined, decode_joined
from machi.requests.subject import RequestGroup, match_path
from machi.transport import segment
from machi.values import Invitation, ListedAccount, Me


class Invitations(RequestGroup):
    """What other accounts may do with the caller."""

    def change_seating(self, seating: str) -> Me:
        """Set who may seat the caller: `nobody`, `allowed` or `anybody`."""
        body = msgspec.json.encode({"seating": seating})
        return decoded(Me, self._transport.request("PATCH", "/v1/me", body=body).body)

    def allowed(self) -> tuple[ListedAccount, ...]:
        """The accounts that may seat the caller without asking if its `seating` is `allowed`."""
        return self._listed("allowed")

    def allow(self, handle: str) -> None:
        """Let an account seat the caller without asking."""
        self._change("PUT", "allowed", handle)

    def disallow(self, handle: str) -> None:
        """Remove an account from the allowed list; it has to ask again."""
        self._change("DELETE", "allowed", handle)

    def blocked(self) -> tuple[ListedAccount, ...]:
        """The accounts that can neither seat nor invite the caller."""
        return self._listed("blocked")

    def block(self, handle: str) -> None:
        """Block an account, and decline its open invitations."""
        self._change("PUT", "blocked", handle)

    def unblock(self, handle: str) -> None:
        """Remove an account from the blocked list."""
        self._change("DELETE", "blocked", handle)

    def invitations(self, wait: int = 0) -> tuple[Invitation, ...]:
        """The seats reserved for the caller; if there are none, wait up to `wait` seconds (at most 30)."""
        page = decoded(RawPage, self._get("/v1/me/invitations", {"wait": wait}, wait))
        return tuple(decoded(Invitation, item) for item in page.items)

    def accept(
        self, match_id: str, seat: int | None = None, seed: str | None = None, *, key: str | None = None
    ) -> Joined:
        """Take a seat reserved for the caller; by default the first one in the match."""
        given = {"seat": seat, "seed": seed}
        body = {name: value for name, value in given.items() if value is not None}
        return decode_joined(self._post(f"/v1/me/invitations/{segment(match_id)}/accept", body, key).body)

    def decline(self, match_id: str, seat: int | None = None, *, key: str | None = None) -> None:
        """Decline a seat reserved for the caller; by default the first one in the match."""
        body = {} if seat is None else {"seat": seat}
        self._post(f"/v1/me/invitations/{segment(match_id)}/decline", body, key)

    def withdraw_invitation(self, match_id: str, seat: int) -> None:
        """Open a reserved seat of the caller's own match for everyone."""
        self._transport.request("DELETE", f"{match_path(match_id)}/seats/{seat}/invitation")

    def _listed(self, name: str) -> tuple[ListedAccount, ...]:
        return tuple(decoded(ListedAccount, item) for item in self._items(f"/v1/me/{name}"))

    def _change(self, method: str, name: str, handle: str) -> None:
        self._transport.request(method, f"/v1/me/{name}/{segment(handle)}")
