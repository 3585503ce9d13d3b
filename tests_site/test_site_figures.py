"""Each interactive figure on its page: it appears, answers keys and pointers, and fits."""

import re

import numpy as np
import pytest
from browser import ROOT, SITE
from playwright.sync_api import expect

from propslib import LinearPolicy, LLMBrain, Run, World
from propslib.brain import ReplyError, find_recording
from propslib.study import load_table
from propslib.utils import stats
from propslib.world.disguise import Disguised
from propslib.world.planning import policy_evaluation

PAGES = {
    "car": "notebooks/01_worlds.html",
    "contest": "notebooks/02_policies.html",
    "prompt": "notebooks/03_brains.html",
    "lake": "notebooks/07_frozenlake.html",
    "cost": "book/own-model.html",
    "watch": "notebooks/04_mountaincar.html",
    "watch-swimmer": "notebooks/05_swimmer.html",
    "watch-four": "notebooks/06_props_plus.html",
    "curse": "notebooks/02_policies.html",
    "painter": "notebooks/08_cartpole.html",
    "dial": "notebooks/11_comparison.html",
    "pool": "notebooks/05_swimmer.html",
    "race": "notebooks/03_brains.html",
    "race-disguised": "notebooks/10_memory_or_search.html",
}
SCRIPTS = {"contest": "car", "watch-swimmer": "watch", "watch-four": "watch"}
SCRIPTS |= {"race-disguised": "race"}


def figure_of(page, name):
    """The figure on its page, live."""
    figure = page.locator(f".props-figure-live[data-figure={SCRIPTS.get(name, name)}]")
    figure.wait_for()
    return figure


def number(figure, label, value):
    field = figure.get_by_label(f"{label}, as a number")
    field.fill(str(value))
    field.press("Enter")


NAMELESS = """(node) => {
    const parts = node.querySelectorAll("input, select, textarea, button, svg:not([aria-hidden])");
    const name = (one) => one.getAttribute("aria-label") || one.labels?.[0]?.textContent
        || one.textContent.trim();
    return [...parts].filter((one) => !name(one)).map((one) => one.outerHTML.slice(0, 100));
}"""


def on(path):
    """The figures of a page: one visit is enough for all."""
    return [name for name, page in PAGES.items() if page == path]


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("path", sorted({*PAGES.values()}))
def test_figures_fit_the_page_and_all_their_parts_have_names(visit, path, width):
    page = visit(path, width=width)  # anew: what changes its width slides for a while
    figures = {name: figure_of(page, name) for name in on(path)}
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        for name, figure in figures.items():
            box = figure.bounding_box()
            assert box["x"] >= 0 and box["x"] + box["width"] <= width, name
            assert figure.evaluate("(node) => node.scrollWidth - node.clientWidth") <= 1, name
    for name, figure in figures.items():
        assert figure.evaluate(NAMELESS) == [], name
        assert figure.locator("[aria-live]").count() >= 1, name


@pytest.mark.parametrize("path", sorted({*PAGES.values()}))
def test_without_javascript_pictures_with_their_text_stand_there(plain_tab, address, path):
    plain_tab.goto(f"{address}/{path}")
    for name in on(path):
        place = f".props-figure[data-figure={SCRIPTS.get(name, name)}]"
        picture = plain_tab.locator(f"{place} img")
        assert len(picture.get_attribute("alt")) > 30, name
        assert picture.evaluate("(node) => node.naturalWidth") > 300, name


def test_the_sliders_answer_the_keyboard(visit):
    page = visit(PAGES["car"], motion="reduce")
    figure = figure_of(page, "car")
    result = figure.locator(".result")
    assert "return −99.90" in result.inner_text()
    gain = figure.get_by_label("velocity gain", exact=True)
    gain.press("End")
    figure.get_by_label("bias", exact=True).focus()
    for _ in range(9):
        page.keyboard.press("ArrowLeft")
    assert result.inner_text() == "Start 0: at the goal after 793 steps; return 98.00."
    expect(figure.locator("[aria-live]")).to_have_text(result.inner_text())  # it waits a moment


def test_the_animation_runs_and_pauses(visit):
    figure = figure_of(visit(PAGES["car"]), "car")
    moment = figure.get_by_label("Step shown")
    figure.get_by_role("button", name="Play").click()
    figure.get_by_role("button", name="Pause").click()
    before = moment.input_value()
    figure.page.wait_for_timeout(300)
    assert moment.input_value() == before


def test_nothing_moves_by_itself_for_those_who_want_less_motion(visit):
    figure = figure_of(visit(PAGES["car"], motion="reduce"), "car")
    number(figure, "velocity gain", 6)
    assert figure.get_by_role("button", name="Play").is_visible()


def test_a_proposal_is_valued_as_the_world_values_it(visit):
    figure = figure_of(visit(PAGES["contest"], motion="reduce"), "contest")
    params = [-0.4, 5.3, 0.2]
    for label, value in zip(("position gain", "velocity gain", "bias"), params, strict=True):
        number(figure, label, value)
    propose = figure.get_by_role("button", name="Propose")
    propose.click()
    with World("MountainCarContinuous-v0") as world:
        value = world.returns(LinearPolicy(world), params, range(20)).mean()
    verdict = figure.locator(".result").nth(1)
    shown = re.search(r"Proposal 1: value (\S+),", verdict.inner_text())[1]
    assert shown == f"{value:.2f}".replace("-", "−")
    propose.click()
    assert "evaluated before" in verdict.inner_text()
    assert figure.locator("tbody tr").count() == 1


def test_the_map_appears_when_asked_for_and_moves_the_sliders(visit):
    figure = figure_of(visit(PAGES["contest"], width=390, touch=True, motion="reduce"), "contest")
    figure.get_by_role("checkbox").check()
    figure.locator("image[href^='data:image/png']").wait_for()
    figure.get_by_role("img", name="Map of the value").tap(position={"x": 150, "y": 20})
    assert float(figure.get_by_label("velocity gain, as a number").input_value()) > 4


def brain_before(run, iteration):
    """The brain of the recorded search when it is asked for this proposal."""
    with World("MountainCarContinuous-v0") as world:
        brain = LLMBrain(lambda prompt: "", LinearPolicy(world), prompt="props", optimum=100)
    brain.begin(run.config["budget"], episodes=20)
    for trial in run.trials:
        if trial.iteration < iteration:
            brain.tell(trial)
    return brain


def refusal(brain, reply):
    with pytest.raises(ReplyError) as refused:
        brain.read(reply)
    return f"Refused. The model is told: {refused.value}"


def test_the_prompt_is_the_brains_and_its_parts_are_lit(visit):
    page = visit(PAGES["prompt"])
    figure = figure_of(page, "prompt")
    prompt, lit = figure.get_by_role("region", name="The prompt"), figure.locator(".lit")
    run = Run.load(find_recording("mountaincar-props"))
    for iteration in (13, 60, 1):
        number(figure, "proposal", iteration)
        expected = brain_before(run, iteration).prompt()
        assert "\n".join(prompt.locator("div").all_text_contents()) == f"{expected}\n"
        reply = figure.get_by_label("The reply: the model’s, or your own").input_value()
        assert reply == run.proposals[iteration - 1].reply
    assert lit.inner_text().startswith("Evaluations so far")
    part = figure.get_by_role("button", name="answer form")
    part.press("Enter")
    assert lit.inner_text().startswith("Your answer is exactly two lines.")
    below = "(node) => node.getBoundingClientRect().y - node.parentNode.getBoundingClientRect().y"
    assert 0 <= lit.evaluate(below) < 20
    assert part.get_attribute("aria-pressed") == "true"
    assert figure.locator("[aria-pressed=true]").count() == 1
    prompt.get_by_text("Keep in mind").hover()
    assert "leaked" in figure.locator(".result").first.inner_text()


def test_a_reply_of_ones_own_is_read_or_refused_as_the_brain_does_it(visit):
    page = visit(PAGES["prompt"], width=390, touch=True)
    figure = figure_of(page, "prompt")
    field = figure.get_by_label("The reply: the model’s, or your own")
    verdict, rows = figure.locator(".verdict"), figure.locator("tbody tr")
    run = Run.load(find_recording("mountaincar-props"))
    assert verdict.inner_text() == "Read: (0.0, 6.0, 0.1)."
    field.fill("")
    page.keyboard.type("params[1]: -2, so [0] is 0,5")
    assert verdict.inner_text() == refusal(brain_before(run, 13), field.input_value())
    assert figure.locator("mark.good").all_text_contents() == ["params[1]: -2"]
    field.fill("params[2]: 1.26, params[0]=**−.5**; params[1]: 7")
    assert verdict.inner_text() == refusal(brain_before(run, 13), field.input_value())
    assert figure.locator("mark.bad").all_text_contents() == ["params[1]: 7"]
    assert rows.nth(2).inner_text().split("\t") == ["params[1]", "params[1]: 7", "a fault"]
    field.press("Backspace")
    field.press("4")
    assert verdict.inner_text() == "Read: (−0.5, 4.0, 1.3)."
    assert rows.first.inner_text().split("\t") == ["params[2]", "params[2]: 1.26", "1.3, rounded"]
    expect(figure.locator("[aria-live]")).to_have_text(verdict.inner_text())  # it waits a moment

    # The slider leaves a reply of one's own; what was tried before depends on it.
    mine = run.proposals[12].reply
    field.fill(mine)
    assert verdict.inner_text() == "Read: (0.0, 6.0, 0.1)."
    number(figure, "proposal", 14)
    assert field.input_value() == mine
    assert verdict.inner_text() == refusal(brain_before(run, 14), mine)
    figure.get_by_role("button", name="The model’s reply").tap()
    assert field.input_value() == run.proposals[13].reply


def test_every_reply_to_choose_is_read_or_refused_as_its_group_says(visit):
    figure = figure_of(visit(PAGES["prompt"]), "prompt")
    verdict = figure.locator(".verdict")
    for group, start in (("Unusual forms", "Read: ("), ("Wrong content", "Refused. ")):
        choice = figure.get_by_label(group)
        labels = choice.locator("option").all_inner_texts()[1:]
        assert len(labels) >= 8
        for label in labels:
            choice.select_option(label)
            assert verdict.inner_text().startswith(start), label

        # Another reply in the field leaves the list free to choose the same one again.
        figure.get_by_role("button", name="The model’s reply").click()
        assert choice.input_value() == ""
        choice.select_option(label)
        assert verdict.inner_text().startswith(start), label


def shown_share(figure):
    return re.search(r"This table: ([\d.]+) %", figure.locator(".result").first.inner_text())[1]


def test_the_reader_drives_by_keys_and_by_buttons(visit):
    """Held pushes cost 0.1 a step; the wall or the hill on the right does not reach the goal."""
    page = visit(PAGES["car"])
    figure = figure_of(page, "car")
    result = figure.locator(".result").first
    figure.get_by_role("button", name="push right").focus()
    page.keyboard.down("ArrowRight")
    expect(result).to_contain_text(re.compile(r"You: \d{2,} of 999 steps; return −\d"))
    page.keyboard.up("ArrowRight")
    assert "push right" in page.evaluate("document.activeElement.textContent")
    figure.get_by_label("bias, as a number").fill("0.5")
    figure.get_by_label("bias, as a number").press("Enter")
    expect(result).to_contain_text("Start 0:")
    figure.get_by_role("button", name="push left").hover()
    page.mouse.down()
    expect(result).to_contain_text("You:")
    page.mouse.up()


def tile(figure, state, direction):
    name = re.compile(rf"^{state} is a tile that points {direction};")
    return figure.get_by_role("button", name=name)


def test_arrows_are_drawn_by_pointer_and_by_keys(visit):
    page = visit(PAGES["lake"], width=390, touch=True)
    figure = figure_of(page, "lake")
    table = np.array([1, 2, 1, 0, 1, 0, 1, 0, 2, 1, 1, 0, 0, 2, 2, 0])
    with World("FrozenLake-v1") as lake:
        assert shown_share(figure) == f"{100 * policy_evaluation(lake, table).value:.2f}"
        tile(figure, 14, "right").tap(position={"x": 40, "y": 75})
        tile(figure, 4, "down").focus()
        page.keyboard.press("ArrowLeft")
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")  # turns the arrow of state 6 from down to right
        table[[14, 4, 6]] = 1, 0, 2
        assert shown_share(figure) == f"{100 * policy_evaluation(lake, table).value:.2f}"
    assert tile(figure, 6, "right").is_visible()


def test_the_lake_without_slips_and_value_iterations_answer(visit):
    figure = figure_of(visit(PAGES["lake"]), "lake")
    answer = figure.get_by_role("button", name="Value iteration")
    answer.click()
    assert "74.42 %" in figure.locator(".result").first.inner_text()
    assert shown_share(figure) == "74.02"
    figure.get_by_role("checkbox").uncheck()
    assert shown_share(figure) == "0.00"
    answer.click()
    assert shown_share(figure) == "100.00"
    story = figure.locator(".result").nth(1)
    for _ in range(6):
        figure.get_by_role("button", name="Step").click()
    assert story.inner_text().endswith("At the goal: return 1.")
    trail = figure.locator(".walked polyline").get_attribute("points")
    assert len(trail.split(" ")) == 7


def test_the_cost_is_that_of_the_dry_run_on_the_page(visit):
    page = visit(PAGES["cost"])
    figure = figure_of(page, "cost")
    result = figure.locator(".result")
    dry_run = re.search(r"about (60 calls; .*)", page.locator("article").inner_text())[1]
    cents = re.sub(r"\$([\d.]+)", lambda price: f"${float(price[1]):.2f}", dry_run)
    assert result.inner_text() == f"About {cents}."
    figure.get_by_label("chapter").select_option("swimmer")
    assert figure.get_by_label("proposals", exact=True).input_value() == "100"
    figure.get_by_label("the prompt shows").select_option("bounded")
    bounded = result.inner_text()
    number(figure, "tokens a reply", 5000)
    assert "500,000 out" in result.inner_text() and result.inner_text() != bounded
    figure.get_by_label("model", exact=True).select_option(index=0)
    figure.get_by_role("checkbox").check()
    assert "cached" in result.inner_text()


def test_a_price_of_ones_own(visit):
    figure = figure_of(visit(PAGES["cost"], width=390, touch=True), "cost")
    number(figure, "proposals", 10)
    figure.get_by_label("model", exact=True).select_option("another model: enter its price")
    for part in ("input", "output"):
        figure.get_by_label(part, exact=True).fill("1000000")
    tokens = 10 * 929 + 45 * 35 + 10 * 100
    assert figure.locator(".result").inner_text().endswith(f"${tokens:.2f}.")
    figure.get_by_label("model", exact=True).select_option("free: recorded, you, local or ollama")
    assert figure.locator(".result").inner_text().endswith("$0.00.")


def test_a_search_is_watched_step_by_step(visit):
    page = visit(PAGES["watch"], width=390, touch=True)
    figure = figure_of(page, "watch")
    run = Run.load(find_recording("mountaincar-props"))
    result, reply = figure.locator(".result"), figure.get_by_role("region", name="The reply")
    assert result.inner_text() == "Proposal 13 of 60: value 93.37, a new best."
    assert figure.locator(".trail").get_attribute("d").count("L") == 12
    figure.get_by_role("button", name="Next turning point").tap()
    assert result.inner_text().startswith("Proposal 31 of 60: value 93.96")
    number(figure, "proposal", 0)
    assert "20 random points" in result.inner_text()
    assert figure.locator(".crosses").get_attribute("d").count("M") == 20
    figure.get_by_role("button", name="Step", exact=True).tap()
    assert result.inner_text().startswith(f"Proposal 1 of 60: value −{-run.proposals[0].value:.2f}")
    scrubber = figure.get_by_label("proposal", exact=True)
    scrubber.press("End")
    assert run.proposals[-1].reason in reply.inner_text()
    assert reply.evaluate("box => box.scrollHeight <= box.clientHeight + 1")  # all of it is seen
    number(figure, "proposal", 13)
    assert result.inner_text() == "Proposal 13 of 60: value 93.37, a new best."
    assert figure.get_by_role("img", name="Parameters: 0.0, 6.0, 0.1").is_visible()
    figure.locator("image[href^='data:image/png']").wait_for()


def test_a_watched_search_plays_and_pauses(visit):
    figure = figure_of(visit(PAGES["watch-swimmer"]), "watch-swimmer")
    scrubber = figure.get_by_label("proposal", exact=True)
    number(figure, "proposal", 0)
    figure.get_by_label("speed").select_option("fast")
    figure.get_by_role("button", name="Play").click()
    expect(scrubber).not_to_have_value("0")  # a proposal is on show for only a third of a second
    figure.get_by_role("button", name="Pause").click()
    before = scrubber.input_value()
    figure.page.wait_for_timeout(1500)
    assert scrubber.input_value() == before


def test_another_search_is_chosen(visit):
    figure = figure_of(visit(PAGES["watch-four"]), "watch-four")
    figure.get_by_label("proposal", exact=True).press("End")
    assert "Proposal 30 of 30" in figure.locator(".result").inner_text()
    figure.get_by_label("search").select_option("swimmer-props")
    figure.locator(".result", has_text="of 100: value").wait_for()
    assert "-" not in figure.get_by_label("search").inner_text()
    figure.get_by_label("proposal", exact=True).press("End")
    assert "Proposal 100 of 100" in figure.locator(".result").inner_text()


def test_the_curse_counts_its_balls(visit):
    figure = figure_of(visit(PAGES["curse"], width=390, touch=True, motion="reduce"), "curse")
    result = figure.locator(".result")
    assert result.inner_text().startswith("The 50th mean:")
    assert figure.locator(".ball").count() == 50
    figure.get_by_role("button", name="Start again").tap()
    assert figure.locator(".ball").count() == 0
    figure.get_by_role("button", name="Play 20 starts").tap()
    assert result.inner_text().startswith("The 1st mean:")
    assert figure.locator(".ball").count() == 1
    figure.get_by_role("button", name="Do that").tap()
    assert result.inner_text().startswith("The 51st mean:")
    best = float(re.search(r"reports ([\d.]+):", result.inner_text())[1])
    assert 94 < best < 100 and figure.locator(".ball.best").count() == 1


def test_balls_fall_for_those_who_like_motion(visit):
    figure = figure_of(visit(PAGES["curse"]), "curse")
    figure.get_by_role("button", name="Do that").click()
    figure.locator(".result", has_text="The 100th mean:").wait_for()
    assert figure.locator(".ball").count() == 100


def score(figure):
    return float(re.search(r"Your table: ([\d.]+)", figure.locator(".result").inner_text())[1])


def test_the_table_is_painted_by_pointer_and_by_keys(visit):
    page = visit(PAGES["painter"], motion="reduce")
    figure = figure_of(page, "painter")
    assert score(figure) == 106.5
    board = figure.locator(".paintable")
    board.scroll_into_view_if_needed()
    before = board.locator(".action-1").count()
    board.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press(" ")
    assert board.locator(".action-1").count() == before  # its mirror image changed the other way
    figure.get_by_label("mirror brush").uncheck()
    figure.get_by_label("start from").select_option("push left everywhere")
    assert board.locator(".action-1").count() == 0
    box = board.bounding_box()
    scale = box["width"] / 368
    page.mouse.move(box["x"] + 11 * scale, box["y"] + 29 * scale)
    page.mouse.down()
    page.mouse.move(box["x"] + 101 * scale, box["y"] + 29 * scale, steps=20)
    page.mouse.up()
    assert board.locator(".action-1").count() == 6
    expect(figure.locator("[aria-live]")).to_have_text(re.compile("^Your table:"))


def test_the_models_table_holds_the_pole_and_a_long_pole_is_harder(visit):
    figure = figure_of(visit(PAGES["painter"], width=390, touch=True, motion="reduce"), "painter")
    figure.get_by_label("start from").select_option("the model’s first table")
    assert score(figure) == 500
    assert "counts as solved" in figure.locator(".result").inner_text()
    number(figure, "pole (m)", 2.5)
    assert score(figure) < 500


ACROSS = "(dots) => dots.map((one) => Number(one.getAttribute('cx')))"


def test_the_dial_shows_the_chapters_table(visit):
    page = visit(PAGES["dial"], width=390, touch=True, motion="reduce")
    figure = figure_of(page, "dial")
    rows = load_table(ROOT / "benchmarks" / "studies" / "frozenlake.jsonl")
    runs = {}
    for row in rows:
        if row["proposals"] == 400:
            runs.setdefault(row["brain"], []).append(([row["best"]], row["blocks"]))
    expected = {}
    for brain, scores in runs.items():
        means = [stats.crossed_interval(stats.iqm, np.array(x)) for x in zip(*scores, strict=True)]
        expected[brain] = list(map(str, means))
    figure.get_by_label("task").select_option("frozenlake")
    figure.get_by_label("budget").select_option("400")
    for line in figure.locator("tbody tr").all():
        brain, count, *cells = line.locator("th, td").all_inner_texts()
        assert [count, cells] == ["20", expected.pop(brain)]
    assert not expected
    result = figure.locator(".result")
    assert "seen by the search: hill climbing 0.75" in result.inner_text()
    dots = figure.locator(".run")
    assert dots.count() == 6 * 20
    seen = dots.evaluate_all(ACROSS)
    figure.get_by_role("button", name="Judge them").tap()
    assert "on fresh starts: hill climbing 0.72" in result.inner_text()
    fallen = dots.evaluate_all(ACROSS)
    assert np.mean(fallen) < np.mean(seen) - 1
    figure.get_by_label("hill climbing", exact=True).uncheck()
    assert "on fresh starts: CMA-ES 0.67" in result.inner_text()
    expect(figure.locator("[aria-live]")).to_have_text(result.inner_text())


def test_three_runs_turn_the_ranking_over(visit):
    page = visit(PAGES["dial"])
    figure = figure_of(page, "dial")
    result = figure.locator(".result")
    figure.get_by_label("budget").select_option("20")
    draw = figure.get_by_role("button", name="Draw 3 runs")
    draw.focus()
    for _ in range(12):
        page.keyboard.press("Enter")
    assert result.inner_text().startswith("Draw 12, 3 runs of each after 20 proposals")
    others = re.search(r"In (\d+) of 12 draws another than Gaussian process", result.inner_text())[
        1
    ]
    assert 0 < int(others) < 12
    assert figure.locator(".run.left-out").count() == 6 * 17
    figure.get_by_role("button", name="Judge them").click()
    figure.get_by_role("button", name="Back to what was seen").wait_for()
    figure.get_by_role("button", name="All runs").click()
    assert figure.locator(".run.left-out").count() == 0


def test_the_pool_is_played_by_keys_and_by_touch(visit):
    page = visit(PAGES["pool"], width=390, touch=True, motion="reduce")
    figure = figure_of(page, "pool")
    result, own = figure.locator(".result"), figure.get_by_label("own angle", exact=True)
    assert "value 173.04, the mean of 20 starts" in result.inner_text()
    own.press("ArrowRight")
    figure.get_by_label("with the other’s rate").check()
    run = Run.load(find_recording("swimmer-props"))
    trial = run.proposals[7]
    assert f"value {trial.value:.2f}" in result.inner_text()
    assert f"return {trial.returns[0]:.2f}" in result.inner_text()
    with World("Swimmer-v5") as world:
        params = np.array([0, 0, -4, 6, -6, 4] + [0] * 7 + [1, -1, 0, 0, 0])
        episode = world.episode(LinearPolicy(world)(params), seed=0)
    pad = figure.locator(".pad")
    side = pad.evaluate("(node) => node.getBoundingClientRect().width / node.viewBox.baseVal.width")
    pad.tap(position={"x": 100 * side, "y": 20 * side})
    assert f"From start 0: return {episode.return_:.2f}," in result.inner_text()
    assert own.input_value() == "-4"
    figure.get_by_role("button", name="Proposal 100").tap()
    assert "Proposal 100 of the recorded search, with 10 numbers" in result.inner_text()
    assert "14.43 m in 40 s" in result.inner_text()


def test_the_body_swims_and_rests(visit):
    figure = figure_of(visit(PAGES["pool"]), "pool")
    figure.get_by_role("button", name="Proposal 14").click()
    moment = figure.get_by_label("Moment of the swim")
    expect(moment).to_have_value("100", timeout=60_000)
    assert figure.get_by_text("16.0 s: 5.34 m").is_visible()
    figure.get_by_role("button", name="Play").wait_for()


def test_the_race_runs_on_one_clock(visit):
    page = visit(PAGES["race"], width=390, touch=True, motion="reduce")
    figure = figure_of(page, "race")
    left, right = figure.locator(".result").all()
    assert left.inner_text().startswith("Proposal 60:")  # it opens on a race that was run
    clock = figure.get_by_label("Proposals made")
    clock.press("Home")
    assert "warm-up included: −3.32" in left.inner_text()
    clock.fill("13")
    assert left.inner_text() == "Proposal 13: 93.37. Best so far, warm-up included: 93.37."
    assert right.inner_text().endswith("warm-up included: −0.73.")
    run = Run.load(find_recording("mountaincar-props"))
    reason = run.proposals[12].reason.replace("-0", "−0")
    words = f"The model’s reason for proposal 13: “{reason}”"
    assert figure.locator(".subtitle").first.inner_text() == words
    assert figure.locator(".trail").nth(1).get_attribute("d").count("L") == 12
    figure.get_by_label("right").select_option("random, seed 2")
    clock.press("End")
    assert right.inner_text().startswith("Proposal 60:")
    assert "warm-up included: −3.32" in right.inner_text()


def test_a_reader_races_with_the_model(visit):
    """By keys and by a tap on the map, also in the disguise, whose values are true returns."""
    page = visit(PAGES["race-disguised"], width=390, touch=True, motion="reduce")
    figure = figure_of(page, "race-disguised")
    right = figure.locator(".result").nth(1)
    figure.get_by_role("img", name="Map of the value").nth(1).tap(position={"x": 150, "y": 80})
    assert figure.get_by_label("right").input_value() == "you"
    params = [0.5, -8.6, 7.3]
    for i, value in enumerate(params):
        number(figure, f"your params[{i}]", value)
    propose = figure.get_by_role("button", name="Propose")
    propose.press("Enter")
    run = Run.load(find_recording("repeated/mountaincar-disguised-202"))
    with World("MountainCarContinuous-v0") as world:
        policy = LinearPolicy(world, low=-10, high=10)
        place = Disguised(world, policy, **run.config["world"]["disguise"])
        value = place.true_value(place.returns(policy, params, range(20)).mean())
    assert right.inner_text().startswith(f"Proposal 1: {value:.2f}".replace("-", "−"))
    assert figure.locator(".result").first.inner_text().startswith("Proposal 1: −1.08")
    figure.get_by_label("disguise").uncheck()
    expect(figure.get_by_text("position gain (across)").first).to_be_visible()
    expect(right).to_have_text(re.compile("On the line"))


def test_a_race_plays_and_pauses(visit):
    figure = figure_of(visit(PAGES["race"]), "race")
    clock = figure.get_by_label("Proposals made")
    figure.get_by_role("button", name="Play").click()
    expect(clock).not_to_have_value("60")
    figure.get_by_role("button", name="Pause").click()
    before = clock.input_value()
    figure.page.wait_for_timeout(1200)
    assert clock.input_value() == before


def test_a_page_opened_as_a_file_says_what_to_do(browser, address):
    with browser.new_context() as context:
        page = context.new_page()
        wrong = []
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.goto((SITE / PAGES["car"]).as_uri())
        assert "make serve" in page.locator(".props-figure-note").inner_text()
        assert page.locator(".props-figure img").is_visible()
    assert not wrong


def test_a_printed_line_that_breaks_goes_on_further_in_and_says_the_same(visit):
    page = visit(PAGES["prompt"], width=390)
    printed = page.locator("div.cell_output pre").filter(has_text="You are a skilled").first
    run = Run.load(find_recording("mountaincar-props"))
    said = printed.text_content().replace("\N{NO-BREAK SPACE}", " ")
    assert brain_before(run, 1).prompt().startswith(said.rstrip("\n")) and "\n\n" in said
    lefts = printed.locator(".line").first.evaluate(
        """(line) => {
            const range = document.createRange();
            range.selectNodeContents(line);
            return [...range.getClientRects()].map(({ left }) => left);
        }"""
    )
    assert len(lefts) > 1
    assert min(lefts[1:]) > lefts[0]
