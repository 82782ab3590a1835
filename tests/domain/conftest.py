"""Failed claims of the test kit are explained like those of the tests themselves."""

import pytest

pytest.register_assert_rewrite("tests.domain.kit")
