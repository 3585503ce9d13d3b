"""The reply reader against recorded replies, a table of nasty ones, and formatted random points."""

import json
import re
import time
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from recorded import NAMES as RECORDINGS
from recorded import load

from propslib.brain.reply import ReplyError, read_params

# Replies in table rows are tested in test_rows.py.
PARAM_RECORDINGS = [name for name in RECORDINGS if load(name).config.get("reply") != "rows"]
NASTY = json.loads(Path(__file__).with_name("nasty_replies.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", PARAM_RECORDINGS)
def test_recorded_replies_are_read_as_the_recorder_read_them(name):
    record = load(name)
    config = record.config
    settings = {key: config[key] for key in ("size", "low", "high", "decimals")}
    settings["missing"] = 0.0 if config.get("sparse") else None
    for line in record.events:
        if line["event"] == "ask":
            read = read_params(line["reply"], **settings).tolist()
            # The recorder refused two replies whose reason names a parameter again.
            refused = {"mountaincar-disguised": [-2.9, -0.7, 5.1]}.get(name, [1.0, 3.5, 0.7])
            assert read == (line["params"] or refused), line["iteration"]


def replies_of(entry):
    """The replies of an entry of a table of nasty ones."""
    reply = entry["reply"]
    if isinstance(reply, dict):
        reply = "".join(text * times for text, times in reply["repeat"])
    return [reply.replace("{}", part) for part in entry.get("each", [])] or [reply]


def nasty(entry):
    """The replies of an entry of the table, each with the settings."""
    defaults = {"size": 3, "low": -6, "high": 6, "decimals": 1}
    settings = defaults | {k: entry[k] for k in (*defaults, "missing") if k in entry}
    return [(reply, settings) for reply in replies_of(entry)]


@pytest.mark.parametrize("entry", NASTY, ids=lambda entry: entry["name"].replace(" ", "-"))
def test_nasty_reply(entry):
    for reply, options in nasty(entry):
        if "params" in entry:
            read = read_params(reply, **options)
            assert read.dtype == np.float64 and not np.signbit(read[read == 0]).any()
            assert read.tolist() == entry["params"], reply
        else:
            with pytest.raises(ReplyError) as error:
                print(ascii(reply), read_params(reply, **options))
            assert all(words in str(error.value) for words in entry["refused"]), reply
            assert len(str(error.value).encode()) < 700


@pytest.mark.parametrize("piece", ["x", "params[0]: 1 ", "<think>", "[1, ", "\n| ", "* "])
def test_a_reply_that_is_too_long_is_refused_at_once(piece):
    start = time.process_time()
    with pytest.raises(ReplyError, match="characters; at most 200000 are read"):
        read_params(piece * 1_000_000, size=3, low=-6, high=6)
    assert time.process_time() - start < 0.2


@pytest.mark.parametrize("bad", [{"size": 0}, {"low": 7}, {"low": float("nan")}])
def test_wrong_settings_are_the_callers_error(bad):
    with pytest.raises(ValueError, match="need size >= 1 and low <= high") as error:
        read_params("params[0]: 1", **{"size": 1, "low": -6, "high": 6, **bad})
    assert not isinstance(error.value, ReplyError)


NAMES = ["params[{}]", "param[{}]", "Params[{}]", "params({})", "params_{}", '"params[{}]"']
NAMES += ["**params[{}]**", "`params[{}]`", r"params\[{}\]", "*params[{}]*"]
OPERATORS = [": ", "=", " = ", " := ", " is ", " -> ", " → ", " | "]
SEPARATORS = [", ", "; ", "\n", "\n- ", ",\n", " and ", " (as before), ", " # a gain\n", ","]
SEPARATORS += [" - a gain\n", "\r", " - "]
BEFORE = ["", "Sure!\n", "After params[0]: 1.5 I try:\n", "<think>params[0]: 1</think>"]
BEFORE += ["params[0]: <number>\n", "[THINK]params[0]: 1[/THINK]"]
AFTER = ["", "\nparams[0]: 2.5 was slow.", " since params[0] = 5 was bad", "\n\n- params[0]: 1"]
AFTER += [" <think>params"]


@st.composite
def points(draw, smallest=1):
    """Settings and a point inside the box that the settings can show exactly."""
    size = draw(st.integers(smallest, 40))
    low, high = sorted(draw(st.tuples(st.integers(-1000, 1000), st.integers(-1000, 1000))))
    decimals = draw(st.none() | st.integers(0, 4))
    value = st.floats(low, high).map(lambda v: v if decimals is None else round(v, decimals))
    params = draw(st.lists(value, min_size=size, max_size=size))
    return {"size": size, "low": low, "high": high, "decimals": decimals}, params


@st.composite
def numbers(draw, value):
    """A number as text that reads back exactly, in one of the styles that models use."""
    text = draw(st.sampled_from([repr(value), f"{value:.17e}", f"{value:.17E}", f"{value:.60f}"]))
    if float(text) != value:  # tiny ones need their exponent
        text = repr(value)
    style = draw(st.sampled_from(["", "plus", "dot", "end", "space", "−", "–", "－", "‑"]))
    if style == "plus" and not text.startswith("-"):
        text = "+" + text
    if style == "dot":
        text = re.sub(r"^(-?)0\.", r"\1.", text)
    if style == "end" and text.endswith(".0"):
        text = text[:-1]
    if style == "space" and text.startswith("-"):
        text = "- " + text[1:]
    return text.replace("-", style) if len(style) == 1 else text


@st.composite
def assignments(draw, params, leave_out=None):
    """The point as assignments in one name and operator style, in any order."""
    name, operator = draw(st.sampled_from(NAMES)), draw(st.sampled_from(OPERATORS))
    separator = draw(st.sampled_from(SEPARATORS))
    wrap = draw(st.sampled_from(["{}", "```\n{}\n```", "- {}", "1. {}", "> {}", "{{{}}}"]))
    order = [i for i in draw(st.permutations(range(len(params)))) if i != leave_out]
    parts = [name.format(i) + operator + draw(numbers(params[i])) for i in order]
    if separator.startswith(" ("):  # a point before a bracket ends a sentence
        parts = [part.removesuffix(".") for part in parts]
    return wrap.format(separator.join(parts))


@st.composite
def lists(draw, params):
    """The point as a list on a line of its own."""
    forms = ["[{}]", "params = [{}]", "params: {}", '{{"params": [{}]}}', "```\n[{}]\n```", "({})"]
    form = draw(st.sampled_from(forms[: len(forms) - (len(params) == 1)]))
    separator = draw(st.sampled_from([", ", "; ", " | ", ","]))
    texts = [draw(numbers(value)) for value in params]
    if texts[0].startswith(("- ", "– ")):  # at the start of a line it could be a bullet
        texts[0] = "-" + texts[0][2:]
    if separator == "," and len(texts) == 2:
        separator = ", "  # 0,5 could be one number
    return form.format(separator.join(texts))


SLOW = settings(max_examples=100, suppress_health_check=list(HealthCheck))


@SLOW
@given(st.data())
def test_any_point_in_any_form_reads_back(data):
    options, params = data.draw(points())
    body = data.draw(assignments(params) | lists(params))
    # With one parameter every mention of it is a whole proposal.
    before = data.draw(st.sampled_from(BEFORE if len(params) > 1 else BEFORE[:2]))
    after = data.draw(st.sampled_from(AFTER if len(params) > 1 else [""]))
    # On more lines than one, a reason needs a line of its own.
    one_line = not {"\n", "\r"} & {*body} and body.count("params") > 1
    if not one_line or not body[-1].isdigit():
        after = "\n" + after.lstrip()
    read = read_params(before + "\n" + body + after, **options)
    assert read.tolist() == params


@SLOW
@given(st.data())
def test_a_point_without_one_assignment_is_refused(data):
    options, params = data.draw(points(smallest=2))
    absent = data.draw(st.integers(0, len(params) - 1))
    body = data.draw(assignments(params, leave_out=absent))
    mention = f"params[{absent}]: 0 was slow."
    before = data.draw(st.sampled_from(["", "Sure!\n", f"I left params[{absent}]: 0 here.\n"]))
    after = data.draw(st.sampled_from(["", "\nThe ridge.", f"\n{mention}", f"\nWith {mention}"]))
    with pytest.raises(ReplyError, match="missing: ") as error:
        read_params(before + body + after, **options)
    if len(params) > 2:  # of two, the mention outside is as complete as the rest
        assert f"missing: params[{absent}]. Send all" in str(error.value)


MARKS = 'params[0] params[1] : = 1.5 -2 1e9 , ; | * ` [ ] ( ) { } "params" params <think> </think>'
MARKS += " nan and to . # is -> \\ <br> 0,5 so answer: \ud83d"
PIECES = st.sampled_from([*MARKS.split(), "\n", " ", "- ", "params[0]: 1, params[1]: 2"])


@SLOW
@given(st.text() | st.lists(PIECES, max_size=60).map("".join), st.integers(1, 3))
def test_any_text_is_read_into_the_box_or_refused(text, size):
    for missing in (None, 0.0):
        with suppress(ReplyError):
            read = read_params(text, size=size, low=-6, high=6, decimals=1, missing=missing)
            assert read.shape == (size,) and (abs(read) <= 6).all()
