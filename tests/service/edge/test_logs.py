"""The log for a person at a terminal, and without a line for each request."""

import io
import json
import os
from collections.abc import Iterator

import pytest
import structlog

from service.edge.logs import configure
from tests.service.log_lines import Output, leave_out_watchers

REQUEST = {"method": "GET", "path": "/v1/matches", "request_id": "abc"}


@pytest.fixture
def output() -> Iterator[io.BytesIO]:
    yield Output()
    leave_out_watchers()


def test_a_terminal_gets_one_readable_line_each(output: io.BytesIO) -> None:
    configure("INFO", output, "text")
    structlog.get_logger().warning("store_not_read", error="it is away")
    [line] = output.getvalue().decode().splitlines()
    assert line[8:] == " [warning] store_not_read error='it is away'"
    assert line[:8].count(":") == 2


def test_requests_have_lines_only_if_they_are_asked_for(output: io.BytesIO) -> None:
    configure("INFO", output, has_requests=False)
    log = structlog.get_logger()
    log.info("request", status=200, **REQUEST)
    log.info("request", status=404, **REQUEST)
    log.error("request", status=503, code="not_ready", **REQUEST)
    log.warning("queue_not_read")
    assert [json.loads(line)["event"] for line in output.getvalue().splitlines()] == ["queue_not_read"]


def test_a_fault_of_the_service_has_its_line_and_traceback_in_any_case(output: io.BytesIO) -> None:
    configure("INFO", output, "text", has_requests=False)
    trace = "Traceback (most recent call last):\n  File\nValueError: x\n"
    structlog.get_logger().error("request", status=500, traceback=trace, **REQUEST)
    first, *rest = output.getvalue().decode().splitlines()
    assert "[error] request" in first
    assert "request_id='abc'" in first or "request_id=abc" in first
    assert rest == trace.splitlines()


def test_a_line_that_nobody_reads_any_more_fails_nobody(output: io.BytesIO) -> None:
    read_end, write_end = os.pipe()
    os.close(read_end)
    with open(write_end, "wb", buffering=0) as broken:
        configure("INFO", broken)
        structlog.get_logger().info("request", **REQUEST)
