"""The comparison of TAYLOR's ensembles with heyoka's batches."""

from __future__ import annotations

import json

import numpy as np
import pytest

from benchmarks import batches


@pytest.mark.exhaustive
def test_quick_run_of_batches(tmp_path, monkeypatch, capsys):
    """With the ensemble itself in heyoka's place."""
    monkeypatch.setattr(batches, "heyoka", lambda *given: iter((batches.ours(*given),)))
    monkeypatch.setattr(batches, "FINEST", 1e-15)
    file = tmp_path / "batches.json"
    given = ["--problems", "free", "--targets", "1e-6", "--rounds", "3", "--json", str(file)]
    batches.main(given)
    (target,) = json.loads(file.read_text())["targets"]
    assert [result["contestant"] for result in target["results"]] == ["Polhode TAYLOR"] * 2
    for result in target["results"]:
        assert 1e-10 < result["error"] <= target["target"]
        assert result["seconds"] == pytest.approx(np.median(result["calls"]) / batches.MEMBERS)
    assert "Polhode TAYLOR" in capsys.readouterr().out
