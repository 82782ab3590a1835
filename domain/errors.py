"""The one error of the rules, and how it points at a member of the request."""


class RuleViolation(Exception):
    """A command was refused; nothing has changed.

    `code` is stable and listed in `openapi.yaml`; `pointer` is a JSON pointer into the request where one
    member is at fault, else empty.
    """

    def __init__(self, code: str, detail: str = "", pointer: str = "") -> None:
        super().__init__(code, detail, pointer)
        self.code = code
        self.detail = detail or code.replace("_", " ")
        self.pointer = pointer

    def __str__(self) -> str:
        return f"{self.code}: {self.detail}"


def pointer_to(*members: str | int) -> str:
    """The JSON pointer (RFC 6901) to a member of the request, by the names and places that lead to it."""
    return "".join(["/" + str(member).replace("~", "~0").replace("/", "~1") for member in members])
