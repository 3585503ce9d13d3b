"""What prompts cost in tokens: a property of their text, so it is asserted, unlike speed."""

import pytest
import tokens

from propslib.brain import cost


@pytest.mark.parametrize("env_id", ["MountainCarContinuous-v0", "Swimmer-v5"])
def test_a_long_search_takes_far_fewer_tokens_than_the_tutorial(env_id):
    pytest.importorskip("quicktok", reason="this computer has no tokenizer: see requirements.txt")
    result = tokens.measure(env_id, every=20)
    forms, published = result["forms"], result["tutorial_characters_published"]
    assert forms["tutorial"]["characters"] == pytest.approx(published, rel=0.03)
    assert forms["compact"]["times_fewer"] >= 2.5
    assert forms["compact, bounded"]["times_fewer"] >= 8
    # With everything shown, a prompt repeats all but the end of the one before.
    for form in ("props", "compact"):
        assert forms[form]["tokens_as_before"] > 0.97 * forms[form]["tokens"]


def test_tokens_are_counted_exactly():
    """The counts of OpenAI's tiktoken 0.14.0 with the vocabulary o200k_base."""
    pytest.importorskip("quicktok", reason="this computer has no tokenizer: see requirements.txt")
    counts = {"": 0, "params[0]: -0.5; params[1]: 12.0; f(params): -3.32\n": 26}
    counts |= {"-5 120|-3.32\n4 -7|93.96\n": 17, "Größe 漢字 😀 <|endoftext|>": 13}
    assert {text: cost.count_tokens(text) for text in counts} == counts
    assert cost.count_tokens("so\ud83d") == cost.count_tokens("so?")  # half a character


def test_without_a_tokenizer_the_estimate_is_not_too_low(monkeypatch):
    exact = tokens.measure("MountainCarContinuous-v0", every=200)["forms"]
    monkeypatch.setattr(cost, "_tokenizer", lambda: None)
    rough = tokens.measure("MountainCarContinuous-v0", every=200)["forms"]
    for form in exact:
        assert exact[form]["tokens"] <= rough[form]["tokens"] <= 2 * exact[form]["tokens"]
    assert cost.count_tokens("a") == 1
