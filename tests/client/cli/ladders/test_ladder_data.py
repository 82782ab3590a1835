"""`machi export --ladder`: the tables of a ladder's matches, and the notebook that draws them."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from machi import Client
from ops.run import ROOT
from tests.client.commands import Run
from tests.notebooks import executed, plots_in

NOTEBOOK = ROOT / "docs/notebooks/ladder.ipynb"


@pytest.fixture
def played(machi_run: Run, ladder_id: str, workers: Callable[[str], None]) -> str:
    """A ladder after a round of three blocks, with its table."""
    workers(ladder_id)
    assert machi_run("ladder", "run", ladder_id, "--blocks", "3")[0] == 0
    return ladder_id


@pytest.mark.long
def test_a_ladder_is_exported_with_the_results_that_its_ratings_need(
    machi_run: Run, played: str, me: Client
) -> None:
    assert machi_run("export", "--format", "parquet", "--ladder", played, "-o", "ladder")[0] == 0
    counted = [json.loads(line)["match_id"] for line in me.ladder_matches(played).splitlines()]
    rows = pq.read_table("ladder/results").to_pylist()
    assert [row["match_id"] for row in rows if row["seat"] == 0] == counted
    assert {row["player_kind"] for row in rows} == {"strategy"}
    assert {*json.loads(rows[0]["tags"])} == {played}
    words = ("export", "--format", "csv", "--ladder", played, "--season", "1", "--since", "2100-01-01")
    code, _, err = machi_run(*words, "-o", "later")
    assert (code, err[:17]) == (0, "later: 0 matches,")
    assert Path("ladder/ladder.ndjson").read_bytes() == me.results(played)
    code, _, err = machi_run("ladder", "rate", "ladder/ladder.ndjson", "--compare", played)
    assert (code, "in every digit; blocks: 3" in err) == (0, True)
    assert machi_run("export", "--format", "parquet", "--ladder", played, "-o", "ladder", "--force")[0] == 0
    (example,) = re.findall(r"```python\n(.*?)```", (ROOT / "docs/data.md").read_text(), re.DOTALL)
    names: dict[str, Any] = {}
    exec(example, names)
    assert names["results"].num_rows == 2 * len(counted)


def test_a_ladder_that_is_not_there_leaves_no_folder(machi_run: Run, me: Client) -> None:
    nowhere = "lad_00000000000000000000000000"
    code, _, err = machi_run("export", "--format", "csv", "--ladder", nowhere, "-o", "out")
    assert (code, "ladder_not_found" in err) == (1, True)
    assert not Path("out").exists()


@pytest.mark.long
def test_the_notebook_goes_from_a_ladder_of_a_service_to_its_plots(
    played: str, url: str, tmp_path: Path
) -> None:
    done = executed(NOTEBOOK, MACHI_LADDER=played, MACHI_URL=url, MACHI_DATA=str(tmp_path / "ladder"))
    assert plots_in(done) == 6
