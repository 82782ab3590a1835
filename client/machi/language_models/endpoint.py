"""A language model behind an OpenAI-compatible HTTP endpoint: POST {base}/chat/completions."""

import msgspec
from msgspec import Struct

from machi.answers import decoded
from machi.errors import ApiError, ConnectionFailed, MachiError, UnusableAnswer
from machi.retries import RETRIED, OnRetry, Retries
from machi.transport import Transport


class ModelFailed(MachiError):
    """The model gives no answer, and asking again will not help: a wrong key, name or address."""


class NoAnswer(Exception):
    """The model gave no answer in time; the next request may get one."""


class Reply(Struct, frozen=True):
    """An answer, and the tokens that it took; None if the endpoint does not say."""

    text: str
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


class _Message(Struct):
    content: str | None = None


class _Choice(Struct):
    message: _Message


class _Usage(Struct):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


class _Completion(Struct):
    choices: tuple[_Choice, ...]
    usage: _Usage | None = None


class Endpoint:
    """A model of an endpoint; call it with a prompt.

    A request that fails with 408, 429, 502, 503 or 504 is sent again until `timeout` is over, after the pause
    that `Retry-After` asks for. The key appears in no repr, error or log line.
    """

    def __init__(
        self,
        url: str,
        model: str,
        key: str | None = None,
        *,
        timeout: float = 60.0,
        max_tokens: int | None = None,
        temperature: float | None = None,
        on_retry: OnRetry | None = None,
    ) -> None:
        """`url` is what precedes `/chat/completions`, such as `http://127.0.0.1:11434/v1`; `timeout` is the
        limit for an answer, retries included, in seconds. What is None is not sent.

        Raises: ValueError for a URL or key that cannot be one.
        """
        self.model = model
        self._transport = Transport(url, key, timeout, Retries(total_s=timeout), on_retry)
        chosen = {"model": model, "max_tokens": max_tokens, "temperature": temperature}
        self._members = {name: value for name, value in chosen.items() if value is not None}

    def __repr__(self) -> str:
        return f"Endpoint({self._transport.base_url!r}, {self.model!r})"

    def close(self) -> None:
        self._transport.close()

    def __call__(self, prompt: str) -> Reply:
        """The answer to the prompt.

        Raises:
            NoAnswer: it did not come in time, or has no text.
            ModelFailed: the endpoint refuses the request, or nothing listens there.
        """
        body = msgspec.json.encode({**self._members, "messages": [{"role": "user", "content": prompt}]})
        try:
            raw = self._transport.request("POST", "/chat/completions", body=body).body
        except ApiError as error:
            if error.status in RETRIED or error.status >= 500:
                raise NoAnswer(f"the endpoint answered {error.status}") from None
            raise ModelFailed(f"{self!r} refused the request: {error.detail}") from None
        except ConnectionFailed as error:
            if error.is_unconnected:
                raise ModelFailed(f"{self!r} cannot be reached") from None
            raise NoAnswer("no answer in time") from None
        except UnusableAnswer as error:
            raise ModelFailed(f"{self!r} cannot be used: {error}") from None
        return _reply(raw)


def _reply(raw: bytes) -> Reply:
    try:
        found = decoded(_Completion, raw)
    except UnusableAnswer:
        raise NoAnswer("the answer is no chat completion") from None
    text = found.choices[0].message.content if found.choices else None
    if not text:
        raise NoAnswer("the answer has no text")
    usage = found.usage or _Usage()
    return Reply(text, usage.prompt_tokens, usage.completion_tokens)
