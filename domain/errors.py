"""The one error of the rules."""


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
