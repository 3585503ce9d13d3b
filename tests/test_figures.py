"""The logic of the site's interactive figures: JavaScript under Node against Python."""

import json
import random
import re
import shutil
import subprocess
import tomllib
from itertools import pairwise, product

import cartpole_figure
import cost_figure
import dial_figure
import numpy as np
import pool_figure
import prompt_figure
import pytest
import race_figure
from matplotlib.colors import SymLogNorm
from pages import NOTEBOOKS, ROOT, prose, read
from test_reply import NASTY, nasty

from propslib import CARTPOLE, LinearPolicy, LLMBrain, Run, TablePolicy, World
from propslib.brain import ReplyError, find_recording, read_params
from propslib.brain.cost import PRICES, count_tokens, find_price, forecast
from propslib.study import load_table
from propslib.utils import stats
from propslib.world.planning import best_table, policy_evaluation, value_iteration

FIGURES = ROOT / "book" / "_static" / "figures"
SCRIPTS = sorted(FIGURES.glob("*.js"))


def node(*arguments, **options):
    if not shutil.which("node"):
        pytest.skip("Node.js is not installed")
    options |= {"cwd": FIGURES, "capture_output": True, "text": True, "timeout": 60}
    done = subprocess.run(["node", *arguments], **options)
    assert done.returncode == 0, done.stderr
    return done.stdout


def run_js(body, data=None):
    """What `body` returns under Node, with `data` and the scripts that it names in scope."""
    named = [path.stem for path in SCRIPTS if re.search(rf"\b{path.stem}\.", body)]
    imports = "".join(f'import * as {name} from "./{name}.js";\n' for name in named)
    script = f"""{imports}
    import {{ readFileSync }} from "node:fs";
    const data = JSON.parse(readFileSync(0, "utf8"));
    const answer = (() => {{ {body} }})();
    process.stdout.write(JSON.stringify(answer));
    """
    data = json.dumps(data, default=np.ndarray.tolist)
    return json.loads(node("--input-type=module", "--eval", script, input=data))


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_a_script_is_javascript_and_asks_nothing_of_the_network(script):
    node("--check", script)
    text = script.read_text(encoding="utf-8").replace("http://www.w3.org/2000/svg", "")
    assert "http:" not in text and "https:" not in text


@pytest.fixture(scope="module")
def car():
    with World("MountainCarContinuous-v0") as world:  # in batches: tests/test_batch.py
        yield world


def test_the_car_earns_what_it_earns_in_gymnasium(car):
    """JavaScript's square may differ from C's in the last place, at most 3.6e-12 of 18,500, in each
    of 999 additions; its cosine's differences do not survive the rounding of the state."""
    policy, rng = LinearPolicy(car), np.random.default_rng(7)
    params = [policy.sample(rng) for _ in range(25)]  # as a search warms up: many far from 0
    params += [policy.to_grid(rng.normal((0, 5, 0.2), (1, 1, 0.3))) for _ in range(25)]  # near good
    expected = car.returns(policy, np.array(params), range(20))
    assert 50 < (expected > 0).sum() < 750
    got = run_js("return data.map(car_world.returns);", params)
    np.testing.assert_allclose(got, expected, rtol=0, atol=1e-8)


def test_the_car_moves_as_in_gymnasium(car):
    """Every position and velocity, bit for bit: with a free and a cut force, at the wall too."""
    params = [[0, 6, 0.1], [-2, 6, 0], [2, 6, 0], [0, 6, -0.5], [6, -6, 6]]
    body = "return data.map((params) => car_world.episode(params, car_world.STARTS[3]));"
    for point, got in zip(params, run_js(body, params), strict=True):
        recorded = car.episode(LinearPolicy(car)(point), seed=3)
        np.testing.assert_array_equal(np.transpose([got["xs"], got["vs"]]), recorded.states)
        assert got["reached"] == recorded.terminated
        assert got["totals"][-1] == pytest.approx(recorded.return_, rel=0, abs=1e-8)


def test_the_car_rolls_to_the_goal_when_its_energy_suffices():
    body = """return data.map(([x, share]) => {
        const [rest, moving] = [0, 1].map((v) => car_world.energy(x, v));
        let state = { x, v: Math.sqrt((share - rest) / (moving - rest)) };
        for (let t = 0; t < 300 && !state.ended; t++) state = car_world.step(state, 0, t === 0);
        return Boolean(state.ended);
    });"""
    pushes = [[x, share] for x in (-1.1, -0.5, 0.1) for share in (0.97, 1.03)]
    assert run_js(body, pushes) == [False, True] * 3


def test_the_colours_of_the_map_are_those_of_the_books_maps():
    values = [-2500.0, -1000.0, -150.0, -99.9, -20.0, 0.0, 40.0, 100.0]
    got = run_js("return data.map((v) => car_world.shade(v));", values)
    np.testing.assert_allclose(got, SymLogNorm(100, vmin=-2500, vmax=100)(values), atol=1e-12)


@pytest.mark.parametrize("name", ["mountaincar-props", "swimmer-props", "frozenlake-props"])
def test_a_run_log_is_read_as_the_library_reads_it(name):
    path = find_recording(name)
    run = Run.load(path)
    body = "const log = run_log.readLog(data); return [log, watch.turningPoints(log)];"
    got, turns = run_js(body, path.read_text(encoding="utf-8"))
    assert [point["value"] for point in got["warmup"]] == [t.value for t in run.warmup]
    best = np.maximum.accumulate([t.value for t in run.proposals])
    expected = [(t.params.tolist(), b) for t, b in zip(run.proposals, best, strict=True)]
    assert [(p["params"], p["best"]) for p in got["proposals"]] == expected
    rises = np.diff(run.best_so_far)[len(run.warmup) - 1 :] > 0
    assert turns["all"] == [t.iteration for t in np.array(run.proposals)[rises]]


def test_the_largest_turn_is_the_first_of_equals_that_beat_all_before():
    level = {"warmup": [{"value": 1}], "proposals": [{"value": v} for v in (1, 2, 2, 3)]}
    assert run_js("return watch.turningPoints(data);", level) == {"all": [2, 4], "largest": 2}


@pytest.fixture(scope="module", params=[True, False], ids=["slippery", "dry"])
def lake(request):
    with World("FrozenLake-v1", is_slippery=request.param) as world:
        world.slippery = request.param
        yield world


def test_the_value_of_a_table_is_exact_and_that_of_the_best_plan(lake):
    rng = np.random.default_rng(3)
    tables = rng.integers(0, 4, (100, 16))
    tables[-10:] = best_table(lake).astype(int)  # random tables hardly arrive: some near the best
    tables[range(90, 99), [0, 1, 2, 3, 4, 6, 8, 9, 10]] = 1
    expected = np.array([policy_evaluation(lake, table).values[-1] for table in tables])
    assert len(set(expected[:, 0])) > (15 if lake.slippery else 1)
    body = "return data[0].map((table) => lake_world.evaluate(table, data[1]));"
    got = run_js(body, [tables, lake.slippery])
    np.testing.assert_allclose(got, expected, rtol=0, atol=1e-12)
    expected = value_iteration(lake)
    got = run_js("return lake_world.bestOf(data);", lake.slippery)
    assert got["value"] == pytest.approx(expected.value, abs=1e-12)
    assert got["table"] == expected.actions[-1].tolist()


def test_the_walkers_episodes_follow_the_rules(lake):
    """Steps that Gymnasium allows, the same for a seed, and as many arrivals as is exact."""
    table = best_table(lake).astype(int)
    body = """return Array.from({ length: 4000 }, (_, seed) =>
        lake_world.episode(...data, seed % 3990));"""
    *episodes, last = run_js(body, [table, lake.slippery])
    assert last == episodes[9]
    possible = lake.env.unwrapped.P
    for one in episodes[:200]:
        for state, after in pairwise(one["states"]):
            assert after in [move[1] for move in possible[state][table[state]]]
        end = lake.env.unwrapped.desc.ravel()[one["states"][-1]]
        assert one["arrived"] == (end == b"G")
        assert end in b"GH" or len(one["moves"]) == 100
    exact = policy_evaluation(lake, table).value
    arrived = np.mean([one["arrived"] for one in episodes])
    assert abs(arrived - exact) <= 4 * np.sqrt(exact * (1 - exact) / 4000)


@pytest.fixture(scope="module")
def exact_tokens():
    pytest.importorskip("quicktok", reason="without a tokenizer, sizes are estimates")


@pytest.mark.parametrize("maker", [cost_figure, prompt_figure, cartpole_figure, dial_figure])
def test_the_data_of_a_figure_are_what_the_library_gives(maker, exact_tokens):
    path = FIGURES / f"{maker.__name__.removesuffix('_figure')}_data.js"
    assert path.read_text(encoding="utf-8") == maker.module()


def test_tokens_and_dollars_cost_what_the_library_says():
    data = run_js("return cost_data.DATA.prices;")
    names = tomllib.loads(PRICES.read_text(encoding="utf-8"))
    assert list(data) == list(names) and len(names) > 20
    used = [(0, 0, 0), (117_690, 6_000, 0), (3_171_435, 40_000, 3_150_925), (10, 5, 20)]
    body = """return Object.values(cost_data.DATA.prices).map((price) => data.map(
        ([tokensIn, tokensOut, tokensCached]) =>
            cost_model.usd(price, { tokensIn, tokensOut, tokensCached })));"""
    expected = [[find_price(name).usd(*tokens) for tokens in used] for name in names]
    np.testing.assert_allclose(run_js(body, used), expected, rtol=1e-12)


def test_tokens_of_a_search_are_those_of_the_librarys_forecast(exact_tokens):
    cases = list(product(("mountaincar", "told"), cost_figure.FORMS, (1, 60, 250)))
    body = """return data.map(([task, form, budget]) =>
        cost_model.usage(cost_data.DATA.tasks[task].sizes[form], budget, 100));"""
    for (task, form, budget), got in zip(cases, run_js(body, cases), strict=True):
        _, env_id, prompt, recording = cost_figure.TASKS[task]
        told = {"description": Run.load(find_recording(recording)).config.get("description")}
        with World(env_id) as world:
            options = told | cost_figure.FORMS[form][1] | {"prompt": prompt, "optimum": 100}
            brain = LLMBrain(count_tokens, LinearPolicy(world), **options)
        brain.begin(budget, episodes=20)
        expected = forecast(brain, budget, warmup=20, seed=0)
        # The points are random, and a minus sign can take a token.
        assert got["tokensIn"] == pytest.approx(expected.tokens_in, rel=0.02, abs=20), form
        assert got["tokensOut"] == expected.tokens_out


@pytest.mark.parametrize("task", [0, 1])
def test_what_a_cache_can_keep_is_what_the_benchmark_counted(task):
    counted = json.loads((ROOT / "benchmarks" / "tokens.json").read_text(encoding="utf-8"))
    forms = counted["results"][task]["forms"]
    body = """return Object.values(cost_data.DATA.tasks[data].sizes).map((sizes) =>
        cost_model.usage(sizes, 400, 100));"""
    got = run_js(body, ["mountaincar", "swimmer"][task])
    for used, form in zip(got, ("props", "compact", "compact, bounded"), strict=True):
        assert used["tokensIn"] == pytest.approx(forms[form]["tokens"], rel=0.02)
        assert used["tokensCached"] == pytest.approx(forms[form]["tokens_as_before"], rel=0.2)


@pytest.mark.parametrize("half", [0.5, 1.1])
def test_the_pole_stands_as_long_as_in_gymnasium(half):
    """Tables of every quality, on the twenty starts, with two poles: the very same steps."""
    rng = np.random.default_rng(3)
    tables = run_js("return Object.values(cartpole_world.TABLES).map(cartpole_world.parsed);")
    for share in (0.02, 0.1, 0.3, 0.6):
        tables.append(np.array(tables[1]) ^ (rng.random(324) < share))
    with World("CartPole-v1", wrap=CARTPOLE) as world:
        env, policy = world.env.unwrapped, TablePolicy(world)
        env.length, env.polemass_length = half, env.masspole * half
        expected = [[world.episode(policy(t), seed=k).return_ for k in range(20)] for t in tables]
    assert 0.1 < (np.array(expected) == 500).mean() < 0.9
    body = """const [tables, half] = data;
        return tables.map((table) => cartpole_world.STARTS.map(
            (start) => cartpole_world.episodeReturn(table, start, half)));"""
    assert run_js(body, [tables, half]) == expected


def test_states_have_the_librarys_names_and_mirror_images():
    body = """return Array.from({ length: 324 }, (_, s) =>
        [cartpole_world.wordsOf(s), cartpole_world.mirrored(s)]);"""
    for state, (words, mirror) in enumerate(run_js(body)):
        assert words == CARTPOLE.words(state)
        bins = zip(CARTPOLE.indices(state), CARTPOLE.indices(mirror), CARTPOLE.shape, strict=True)
        assert all(one + other == size - 1 for one, other, size in bins)


def test_every_cell_of_the_painter_can_be_hit_and_reached():
    body = """const hit = new Set();
    for (let x = 0; x < 400; x += 3)
        for (let y = 0; y < 400; y += 3) hit.add(painter.stateAt(x, y));
    const reached = new Set([0]);
    for (const state of reached)
        for (const key of ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"])
            reached.add(painter.beside(state, key));
    hit.delete(null);
    return [hit.size, reached.size, painter.stateAt(113, 25), painter.stateAt(25, 131)];"""
    assert run_js(body) == [324, 324, None, None]


def test_the_true_mean_of_the_curse_is_true(car):
    body = """let sum = 0;
    for (let i = 0; i < 5000; i++)
        sum += car_world.episodeReturn(curse.DRIVER, -0.6 + (0.2 * (i + 0.5)) / 5000);
    return [curse.TRUTH, sum / 5000, Array.from({ length: 400 }, curse.means(5))];"""
    said, computed, means = run_js(body)
    assert said == pytest.approx(computed, abs=0.05)
    played = car.returns(LinearPolicy(car), np.array([[0, 6, 0]]), range(20_000, 22_000))
    assert said == pytest.approx(played.mean(), abs=4 * played.std() / 2000**0.5)
    assert np.mean(means) == pytest.approx(said, abs=4 * np.std(means) / 20)


def test_the_dial_ranks_by_the_librarys_interquartile_means():
    """Of all runs it shows the chapter's figures, which are those of its table."""
    data = run_js("return dial_data.DATA;")
    cells = [
        (cell[kind], cell[f"mean_{kind}"][0], 0.56 * 10 ** -task["digits"])
        for task in data["tasks"].values()
        for budgets in task["brains"].values()
        for cell in budgets.values()
        for kind in ("best", "held_out")
        if "mean_best" in cell
    ]
    assert len(cells) > 350
    for (runs, said, off), got in zip(
        cells, run_js("return data.map(([runs]) => dial.iqm(runs));", cells), strict=True
    ):
        assert got == pytest.approx(stats.iqm(runs), rel=1e-12)
        assert got == pytest.approx(said, rel=0, abs=off)


def test_the_dial_ranks_what_was_drawn():
    drawn = {"a": ([0, 0, 9, 9], [0, 1, 2, 3]), "b": ([1, 5, 5, 40], [0, 3])}
    drawn |= {"c": ([5, 5, 5, 5], [1, 2]), "too few": ([99], [0])}
    body = """const rows = Object.entries(data).map(([brain, [best, drawn]]) =>
        ({ brain, drawn, runs: { best, mean_best: best.length > 1 && [0] } }));
    return dial.ranking(rows, "best");"""
    assert run_js(body, drawn) == [["b", 20.5], ["c", 5], ["a", 4.5]]


@pytest.fixture(scope="module")
def pool():
    """The data of the pool, and each of its runs with its parameters."""
    data = run_js("return pool_data.DATA;")
    params_of = pool_figure.params_of
    order = product(data["rates"], data["gains"], data["gains"])
    params = [params_of(own, other, rate) for rate, other, own in order]
    return data, list(zip(params, data["grid"], strict=True))


def test_the_pools_runs_are_those_of_mujoco(pool):
    """A random sample of the grid, played again: returns, metres, and the body's places."""
    _, runs = pool
    rng = np.random.default_rng(4)
    with World("Swimmer-v5") as world:
        policy = LinearPolicy(world)
        for k in rng.choice(len(runs), 4, replace=False):
            params, run = runs[k]
            assert run == pool_figure.swum(world, policy, params) | {"value": run["value"]}
        assert run["value"] == pool_figure.value(world, policy, params)


def test_the_pool_shows_the_recorded_proposals(pool):
    data, runs = pool
    recorded = Run.load(find_recording("swimmer-props")).proposals
    for one in data["proposals"]:
        trial = recorded[one["number"] - 1]
        assert one["params"] == trial.params.tolist()
        assert one["value"] == round(trial.value, 2)
        assert one["first"] == round(trial.returns[0], 2)
    pairs = [(p.tolist(), run, one) for p, run in runs for one in data["proposals"]]
    same = [(run, one) for params, run, one in pairs if params == one["params"]]
    assert [one["number"] for _, one in same] == [1, 8]
    assert all(run.items() <= one.items() for run, one in same)


def test_the_body_in_the_pool_is_mujocos(pool):
    _, runs = pool
    params, run = runs[-10]
    with World("Swimmer-v5") as world:
        ends = []

        def look(env):
            sim = env.unwrapped.data
            half = sim.geom_xmat[1:4].reshape(3, 3, 3)[:, :2, 2] / 2
            ends.append([sim.geom_xpos[1:4, :2] - half, sim.geom_xpos[1:4, :2] + half])
            return np.zeros((1, 1, 3), np.uint8)

        world.episode(LinearPolicy(world)(params), seed=0, frame_every=4, frame=look)
    got = np.array(run_js("return pool.motionOf(data).map(pool.bodyOf);", run))
    rear, front = np.moveaxis(ends[:101], 1, 0)
    off = [
        np.abs(got[:, :-1] - one) + np.abs(got[:, 1:] - other)
        for one, other in ((rear, front), (front, rear))
    ]
    # A centimetre, and three roundings of up to 1 degree along 3 metres.
    assert np.minimum(*(each.max(axis=2) for each in off)).max() < 0.1


def test_the_race_is_run_by_the_librarys_brains():
    """Two of its searches, drawn by chance, made again; and those of chapter 10's study."""
    data, rng = run_js("return race_data.DATA;"), np.random.default_rng(9)
    task, seed = rng.choice(list(data)), int(rng.choice(race_figure.SEEDS))
    again = race_figure.task_of(*race_figure.TASKS[task], [seed])
    others = data[task]["others"] | again.pop("others")
    # Processors differ in the last digit of the disguise's rotation; the points are rounded.
    assert np.array(data[task].pop("turn", 0)) == pytest.approx(np.array(again.pop("turn", 0)))
    assert data[task] == again | {"others": others}
    ends = {
        row["seed"]: row["best"]
        for row in load_table(ROOT / "benchmarks" / "memory.jsonl")
        if (row["search"], row["brain"], row["step"]) == ("mountaincar-disguised-202", "CMA-ES", 2)
    }
    for seed in race_figure.SEEDS:
        proposals = data["disguised"]["others"][f"CMA-ES, seed {seed}"]
        for mark, best in ends[seed].items():
            seen = [value for *_, value in proposals[: int(mark)]]
            assert max([ends[seed]["0"], *seen]) == pytest.approx(best, abs=0.006)


def test_the_races_values_are_those_of_the_figures_car():
    data = run_js("return race_data.DATA;")
    for task in data.values():
        rows = [row for other in task["others"].values() for row in other[::13]]
        run = Run.load(find_recording(task["recording"]))
        scale, shift = task.get("scale", 1), task.get("shift", 0)
        rows += [[*t.params.tolist(), (t.value - shift) / scale] for t in run.trials[::7]]
        body = """const [task, points] = data;
            const value = (point) => chart.mean(car_world.returns(race.trueParams(task, point)));
            return points.map(value);"""
        got = run_js(body, [task, [row[:3] for row in rows]])
        np.testing.assert_allclose(got, [row[3] for row in rows], rtol=0, atol=0.006)


def read_in_python(reply, read=read_params, **options):
    """The parameters of a reply, or the sentence that refuses it."""
    try:
        return read(reply, **options).tolist()
    except ReplyError as refusal:
        return str(refusal)


def read_in_javascript(cases):
    body = """return data.map(([text, options]) => {
        const { params, refusal, taken } = reply.readParams(text, options);
        return [params ?? refusal, taken.map(({ start, end }) => text.slice(start, end))];
    });"""
    return run_js(body, cases)


MARKS = """params[0] params[1] params[3] params[12345678901] "params" params PARAMſ[1]
: = -> is ıs 1.5 -2 − 0.25 -0.05 1e9 1e 0,5 2² ½ 5五 nan −∞ to so
, ; | * ` [ ] ( ) { } . \\ # // — <think> </think> </THİNKING> <br>"""
SNIPPETS = [
    *MARKS.split(),
    *(" ", "\n", "- ", "1. ", " and ", "\ufeff", "\x85", "\u2028", "\r"),
    *("😀" * 30, f"(😀{'b' * 77})", f"(😀{'b' * 78})"),
]


def mutated(text, rng):
    """A reply with one to four changes: a piece is cut out, doubled, or another put in."""
    for _ in range(rng.randint(1, 4)):
        start = rng.randint(0, len(text))
        end = start + rng.choice([1, 1, 2, 5, 20])
        here, there = rng.choice([(start, end), (end, start), (start, start)])
        text = text[:here] + rng.choice(["", *SNIPPETS]) + text[there:]
    return text


def test_nasty_and_mutated_replies_are_read_and_refused_as_in_python():
    nasties = [case for entry in NASTY for case in nasty(entry)]
    # No text field gives None or half a character.
    plain = [(text or "", options) for text, options in nasties if "\ud83d" not in (text or "")]
    short, rng = [case for case in plain if 0 < len(case[0]) < 1000], random.Random(7)
    cases = [(mutated(text, rng), options) for text, options in rng.choices(short, k=300)] + plain
    expected = [read_in_python(text, **options) for text, options in cases]
    assert 15 < sum(isinstance(each, list) for each in expected[:300]) < 285
    for case, each, (got, _) in zip(cases, expected, read_in_javascript(cases), strict=True):
        assert got == each, case


def test_the_marked_characters_are_those_that_were_read():
    settings = {"size": 3, "low": -6, "high": 6, "decimals": 1}
    bold = "params[1]**: −2 / params\\[0\\] = 1.26 / params[2]**: .5"
    expected = {
        "So **params[1]**: −2, params\\[0\\] = 1.26; **params[2]**: .5!": bold,
        "<think>params[0]: 9</think>😀\n[1,\u200b 2, 3]": "1 / 2 / 3",
        "params[0]: 1, params[1]: 0,5;": "params[0]: 1 / params[1]: 0,5",
        "No.": "",
    }
    got = read_in_javascript([(text, settings) for text in expected])
    assert [" / ".join(parts) for _, parts in got] == list(expected.values())


def test_numbers_are_rounded_and_written_as_python_does_it():
    rng = np.random.default_rng(5)
    values = [0.0, 0.25, -0.25, 0.75, 2.5, 3.5, 1e22, 1e-7, 12345.65, *rng.normal(0, 100, 200)]
    values += [k / 64 for k in range(-200, 200)]
    body = "return data.map((v) => [0, 1, 2, 4].map((d) => python_numbers.rounded(v, d)));"
    got = run_js(body, values)
    assert got == [[round(value, decimals) for decimals in (0, 1, 2, 4)] for value in values]
    limits = [0, 6, -6, 10.5, 0.1, 1e-5, 0.00012345678, 123456, 1234567, -1e20, 2.5e-10]
    got = run_js("return data.map(python_numbers.general);", limits)
    assert got == [f"{limit:g}" for limit in limits]


def test_prompts_and_replies_are_those_of_the_brain():
    """Its prompts, and all recorded replies, unusual ones, and points that were tried before."""
    run = Run.load(find_recording(prompt_figure.RECORDING))
    texts = [text for group in prompt_figure.examples(run).values() for text in group.values()]
    texts += [proposal.reply for proposal in run.proposals]
    body = """const [iterations, texts] = data;
    const read = ({ params, refusal }) => params ?? refusal;
    return iterations.map((k) => [
        prompt_model.promptParts(k).map(({ text }) => text).join("\\n\\n"),
        prompt_model.recordedReply(k),
        texts.map((text) => read(prompt_model.readReply(text, k)))]);"""
    iterations = [1, 2, 13, 59, 60]
    got = run_js(body, [iterations, texts])
    for k, (prompt, reply, answers) in zip(iterations, got, strict=True):
        brain = prompt_figure.brain_before(run, k)
        assert (prompt, reply) == (brain.prompt(), run.proposals[k - 1].reply)
        assert answers == [read_in_python(text, brain.read) for text in texts]
        assert sum("evaluated before" in str(answer) for answer in answers) == k


def test_every_place_of_a_figure_has_its_script_and_a_picture_with_its_text():
    places, form = 0, r'<div class="props-figure" (.*?)>\n\n(.*?)\n\n</div>'
    pages = {path: prose(read(path)) for path in NOTEBOOKS}
    pages |= {path: path.read_text(encoding="utf-8") for path in (ROOT / "book").glob("*.md")}
    for page, text in pages.items():
        for found, still in re.findall(form, text, re.DOTALL):
            attributes, places = dict(re.findall(r'data-(\w+)="([^"]*)"', found)), places + 1
            script = FIGURES / f"{attributes['figure']}.js"
            assert "export async function mount(" in script.read_text(encoding="utf-8")
            picture = re.fullmatch(r"!\[([^\]]*)\]\((.*)\)(?:\s+\*In JupyterLab .*\*)?", still)
            assert len(picture[1]) > 60 and (page.parent / picture[2]).exists()
            for name in attributes.get("recording", "").split():
                assert (ROOT / "notebooks" / "recordings" / f"{name}.jsonl").exists()
    assert places >= 7
