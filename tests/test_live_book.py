"""Named by PROPS_LLM, a live model runs the chapters that replay recordings, from end to end."""

import pytest
from fake_provider import FakeProvider
from nbclient import NotebookClient
from pages import ROOT, read

pytestmark = pytest.mark.slow

PROPOSALS = {"03_brains": 60, "04_mountaincar": 60, "06_props_plus": 30, "07_frozenlake": 24}
PROPOSALS |= {"08_cartpole": 12, "09_limits": 6, "10_memory_or_search": 40, "tournament_leader": 45}


@pytest.mark.parametrize("chapter", PROPOSALS)
def test_a_chapter_runs_with_a_live_model(chapter, monkeypatch):
    """The model here knows nothing, so no chapter may rest on what the recorded one found."""
    notebook = read(ROOT / "notebooks" / f"{chapter}.ipynb")
    with FakeProvider() as provider:
        url = provider.base_url("openai")
        monkeypatch.setenv("PROPS_LLM", f"openai:any-model base_url={url} temperature=0.5")
        place = {"metadata": {"path": str(ROOT / "notebooks")}}
        NotebookClient(notebook, timeout=280, resources=place).execute()
    assert len(provider.successes) == PROPOSALS[chapter]
    assert {request.body["temperature"] for request in provider.requests} == {0.5}
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    assert any("results differ from the text" in output.get("text", "") for output in outputs)
