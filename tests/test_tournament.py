"""The tournament: what counts, what is refused and why, who is first."""

import json
import re
import shutil

import nbformat
import numpy as np
import pytest
from jupyter_client.manager import start_new_kernel
from recorded import load
from test_notebooks import ROOT
from test_you import converse

from propslib import Disguised, HillClimbing, LinearPolicy, LLMBrain, RandomSearch, Reply, World
from propslib.brain import StopSearch
from propslib.judge import HeldOut, held_out
from propslib.utils.tournament import Tournament


@pytest.fixture
def game(car, policy, tmp_path):
    return Tournament(tmp_path / "game", car, policy, budget=4, warmup=3, episodes=2)


def player(policy, *lines):
    """Proposes these points, then stops."""
    left = iter(lines)

    def typist(prompt):
        try:
            return Reply(next(left).replace(" ", ", "))
        except StopIteration:
            raise StopSearch("No line is left.") from None

    return LLMBrain(typist, policy, repeats=True)


def read(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def write(path, records):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(record) + "\n" for record in records))


@pytest.fixture
def log(game):
    """The log of an honest search of four proposals, its records."""
    game.play("honest", HillClimbing(game.policy, seed=1))
    return read(game.folder / "honest.jsonl")


def reason(game, records, name="other"):
    """Why the log is refused; the honest one counts all the same."""
    write(game.folder / f"{name}.jsonl", records)
    board = game.leaderboard(range(100, 103))
    assert [entry.name for entry in board.entries] == ["honest"]
    assert list(board.refused) == [f"{name}.jsonl"]
    return board.refused[f"{name}.jsonl"]


def test_players_are_ranked_by_their_chosen_points_on_the_held_out_seeds(game):
    for seed, name in enumerate(["ada", "Bob B", "eve-2"]):
        game.play(name, RandomSearch(game.policy, seed=seed))
    game.play("zoë", player(game.policy, "0 0 0", "0 0 0.1"))
    board = game.leaderboard(range(100, 110))
    assert board.refused == {}
    means = [entry.held_out.mean for entry in board.entries]
    assert means == sorted(means, reverse=True)
    for entry in board.entries:
        own = held_out(game.world, game.policy, entry.run.best.params, range(100, 110))
        assert entry.held_out.mean == own.mean
        assert entry.gap == entry.run.best.value - own.mean
        difference = board.entries[0].held_out.returns - own.returns
        assert entry.behind.mean == pytest.approx(difference.mean())
        assert entry.behind.low <= entry.behind.mean <= entry.behind.high
    rows = {row[1]: row for row in board.table.rows}
    assert rows["Bob B"][2] == "4"


@pytest.mark.parametrize("name", ["mountaincar-props-2", "mountaincar-disguised"])
def test_a_recorded_search_is_worth_what_the_recorder_measured(name, tmp_path):
    """The recorder's code is not the library's; its figures stand in the recordings' README."""
    record = load(name)
    config = record.config
    with World(config["env_id"]) as world:
        policy = LinearPolicy(
            world, low=config["low"], high=config["high"], spread=config["warmup_std"]
        )
        hidden = Disguised(world, policy, **config["disguise"]) if "disguise" in config else world
        game = Tournament(tmp_path, hidden, policy, budget=60, seed=config["seed"])
        settings = {"budget": 60, "warmup": 20, "episodes": 20, "seed": config["seed"]}
        config = settings | {"world": hidden.config, "policy": policy.config, "brain": {}}
        header = {"format": "props-run/1", "config": config}
        write(tmp_path / "model.jsonl", [header, *record.events])
        board = game.leaderboard()
    (entry,), refused = board.entries, board.refused
    assert refused == {}
    readme = (ROOT / "notebooks/recordings/README.md").read_text()
    (line,) = (line for line in readme.splitlines() if line.startswith(f"| {name} "))
    best, at, mean = re.search(r"\| (\S+) at (\d+) \| (\S+) \[", line).groups()
    assert f"{entry.run.best.value:.2f}" == best and entry.run.best.iteration == int(at)
    true = entry.held_out.mean if hidden is world else hidden.true_value(entry.held_out.mean)
    assert f"{true:.2f}" == mean


def test_equal_results_share_a_place_and_are_not_told_apart(game):
    same = "0 0 0"
    game.play("first", player(game.policy, same))
    game.play("second", player(game.policy, "6 6 6", same))
    game.play("third", player(game.policy, "0 0 0.1"))
    board = game.leaderboard(range(100, 110))
    assert [row[:3] for row in board.table.rows] == [
        ["1=", "first", "1"],
        ["1=", "second", "2"],
        ["3", "third", "1"],
    ]
    assert [row[3] for row in board.table.rows][:2] == ["0.00 (1)", "0.00 (2)"]
    # 30 steps of force 0.1 cost 0.1 * 0.01 each.
    assert board.table.rows[2][4:] == ["-0.03 [-0.03, -0.03]", "0.00", "0.03 [0.03, 0.03]"]


def test_a_search_that_ended_early_counts_and_goes_on_in_its_log(game, capsys):
    game.play("ada", player(game.policy, "0 0 0"))
    assert "has a log here" not in capsys.readouterr().out
    run = game.play("ada", player(game.policy, "1 1 1", "2 2 2", "3 3 3", "4 4 4"))
    assert "ada has a log here" in capsys.readouterr().out
    assert [trial.params[0] for trial in run.proposals] == [0, 1, 2, 3]
    (entry,) = game.leaderboard(range(100, 103)).entries
    assert len(entry.run.proposals) == 4


def test_where_no_proposal_beats_it_the_best_warm_up_point_is_chosen(game):
    run = game.play("unlucky", player(game.policy, "6 6 6"))
    assert run.best.warmup
    board = game.leaderboard(range(100, 103))
    assert board.table.rows[0][3] == f"{run.best.value:.2f} (warm-up)"


@pytest.mark.parametrize("name", ["", "../ada", "a/b", "a\\b", ".ada", "ada ", "a:b", "ada\n"])
def test_a_name_that_cannot_be_a_file_is_refused(game, name):
    with pytest.raises(ValueError, match="also the log's"):
        game.play(name, RandomSearch(game.policy))


def test_a_missing_folder_is_named(game):
    with pytest.raises(FileNotFoundError, match="no folder .*game"):
        game.leaderboard()


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (b"", "broken: the file is not a run log"),
        (b"Dear teacher, here is my log.\n", "broken: the file, line 1 is not JSON"),
        (b"[1, 2]\n", "broken: the file is not a run log"),
        (b'{"format": "props-run/1"}\n', "broken: KeyError: 'config'"),
        (b"\xff\xfe\x00\n", "'utf-"),
        (b"[" * 100_000 + b"\n", "broken: RecursionError"),
    ],
)
def test_a_broken_log_is_refused_and_the_others_are_read(game, log, text, why):
    (game.folder / "other.jsonl").write_bytes(text)
    board = game.leaderboard(range(100, 103))
    assert [entry.name for entry in board.entries] == ["honest"]
    assert why in board.refused["other.jsonl"]
    assert str(game.folder) not in board.refused["other.jsonl"]


def test_lines_that_are_no_events_are_refused(game, log):
    assert reason(game, [*log, 5]).startswith("broken: AttributeError")
    assert reason(game, [*log, {"no": "event"}]) == "broken: KeyError: 'event'"
    assert reason(game, [*log[:-1], log[-1] | {"value": "much"}]).startswith("broken: ")


def test_a_torn_last_line_is_passed_over(game, log):
    path = game.folder / "honest.jsonl"
    path.write_bytes(path.read_bytes()[:-20])
    (entry,) = game.leaderboard(range(100, 103)).entries
    assert len(entry.run.proposals) == 3


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"seed": 1}, "another task: its seed is 1, not 0"),
        ({"episodes": 3}, "another task: its episodes is 3, not 2"),
        ({"warmup": 0}, "another task: its warmup is 0, not 3"),
        ({"world": {"env_id": "Swimmer-v5"}}, "its env_id is 'Swimmer-v5', not 'MountainCarCon"),
        ({"world": None}, "another task: its world is None, not {'env_id'"),
        ({"budget": 5}, "over budget: it was set to 5 proposals, not 4"),
        ({"budget": "4"}, "broken: TypeError"),
    ],
)
def test_another_task_is_refused_with_what_differs(game, log, change, why):
    header = log[0] | {"config": log[0]["config"] | change}
    assert why in reason(game, [header, *log[1:]])


def test_a_recording_of_the_first_form_is_of_another_task(game, log):
    record = load("mountaincar-props")
    assert "another task: its world is None" in reason(game, [record.header, *record.events])


def test_the_disguise_is_part_of_the_task(game, log):
    for seed in (1, 2):
        hidden = Disguised(game.world, game.policy, seed=seed)
        other = Tournament(game.folder, hidden, game.policy, budget=4, warmup=3, episodes=2)
        other.play(f"hidden-{seed}", RandomSearch(game.policy))
    board = other.leaderboard(range(100, 103))
    assert [entry.name for entry in board.entries] == ["hidden-2"]
    assert "its seed is 1, not 2" in board.refused["hidden-1.jsonl"]
    assert "its disguise is None" in board.refused["honest.jsonl"]


def test_more_proposals_than_the_budget_are_refused_whatever_the_header_says(game, log):
    more = [log[-2] | {"iteration": 5}, log[-1] | {"iteration": 5}]
    assert reason(game, log + more) == "over budget: it has 5 proposals, not 4"


def test_a_left_out_proposal_is_noticed(game, log):
    first = next(k for k, record in enumerate(log) if record.get("event") == "ask")
    assert "have the numbers [2, 3, 4]" in reason(game, log[:first] + log[first + 2 :])


def test_a_log_without_a_proposal_does_not_count_yet(game, log):
    assert reason(game, log[:4]) == "no proposal yet"


def test_other_warm_up_points_are_noticed(game, log):
    points = [log[1] | {"params": [0.0, 0.0, 0.0]}, *log[2:]]
    assert "warm-up points are not those" in reason(game, [log[0], *points])
    assert "warm-up points are not those" in reason(game, [log[0], *log[2:]])


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"value": 99.0}, "proposal 4 claims the value 99.00; the world gives its parameters"),
        ({"value": float("nan")}, "proposal 4 claims the value nan"),
        ({"params": [0.0, 0.0, 0.0]}, "the world gives its parameters 0.00"),
        ({"params": [0.0, 7.0, 0.0]}, "proposal 4, [0. 7. 0.], is not on the grid"),
        ({"params": [0.0, 0.05, 0.0]}, "is not on the grid"),
        ({"params": [0.0, 6.0]}, "This policy has 3 parameters"),
        ({"params": [0.0, float("nan"), 0.0]}, "Parameters must be finite"),
        ({"returns": [1.0]}, "proposal 4 claims returns that the world does not give"),
    ],
)
def test_a_changed_trial_is_noticed(game, log, change, why):
    assert why in reason(game, [*log[:-1], log[-1] | change])


def test_returns_that_were_swapped_are_noticed(game):
    game.play("honest", player(game.policy, "1 1 1"))
    log = read(game.folder / "honest.jsonl")
    assert log[-1]["returns"][0] != log[-1]["returns"][1]
    swapped = log[-1] | {"returns": log[-1]["returns"][::-1]}
    assert "claims returns" in reason(game, [*log[:-1], swapped])


def test_the_last_bits_of_another_machine_are_no_change(game, log):
    returns = (np.array(log[-1]["returns"]) + 1e-6).tolist()
    write(game.folder / "near.jsonl", [*log[:-1], log[-1] | {"returns": returns}])
    assert len(game.leaderboard(range(100, 103)).entries) == 2


@pytest.mark.parametrize("other", ["honest", "HONEST"])
def test_of_two_logs_of_one_name_none_counts_and_both_are_named(game, log, other):
    (game.folder / "b").mkdir()
    shutil.copy(game.folder / "honest.jsonl", game.folder / "b" / f"{other}.jsonl")
    board = game.leaderboard(range(100, 103))
    assert board.entries == [] and set(board.refused) == {"honest.jsonl", f"b/{other}.jsonl"}
    assert all("2 logs have the name" in why for why in board.refused.values())
    assert board.table.rows == []


def test_folders_of_the_system_are_passed_over(game, log):
    for hidden in (".ipynb_checkpoints/honest-checkpoint.jsonl", "._honest.jsonl"):
        write(game.folder / hidden, log)
    board = game.leaderboard(range(100, 103))
    assert len(board.entries) == 1 and board.refused == {}


def test_an_interval_of_returns_holds_their_mean():
    found = HeldOut.of(np.array([1.0, 2.0, 3.0, 4.0]))
    assert found.mean == 2.5 and 1 <= found.low < 2.5 < found.high <= 4
    assert str(HeldOut.of(np.zeros(5))) == "0.00 [0.00, 0.00]"


# The notebook, in class.


def run_page(who, folder, lines):
    """Run the page as this person, who types these lines. Gives what its cells show, and asked."""
    page = nbformat.read(ROOT / "notebooks" / "tournament.ipynb", as_version=4)
    manager, client = start_new_kernel(kernel_name="python3", cwd=str(folder))
    shown, asked, lines = [], [], iter(lines)
    try:
        for cell in page.cells:
            if cell.cell_type != "code":
                continue
            code = cell.source.replace('WHO = ""', f"WHO = {who!r}")
            code = code.replace(
                'Continuous-v0")', 'Continuous-v0", max_steps=30)'
            )  # no time to lose
            outputs, questions = converse(client, code, lines)
            errors = [content for kind, content in outputs if kind == "error"]
            assert not errors, (cell.source, errors)
            asked += questions
            shown.append((cell.source, outputs))
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
    tables = [
        content["data"]["text/plain"]
        for source, outputs in shown
        for kind, content in outputs
        if kind == "execute_result" and source.endswith("board.table")
    ]
    return tables, asked


def test_in_class_people_play_on_the_page_and_the_instructor_sees_them_all(tmp_path):
    lines = ["0 6 0.1 # from the book", "1 1 1", "stop", "2 2 2", "stop"]
    tables, asked = run_page("Ada", tmp_path, lines)
    assert [question[:16] for question in asked] == [
        *["Proposal 1 of 10", "Proposal 2 of 10", "Proposal 3 of 10"],
        *["Proposal 1 of 25", "Proposal 2 of 25"],
    ]
    for number, table in enumerate(tables, start=1):
        assert [line.split()[1] for line in table.splitlines()[1:]] == ["Ada"]
        folder = tmp_path / "runs" / "tournament" / f"round-{number}"
        assert [path.name for path in folder.iterdir()] == ["Ada.jsonl"]

    tables, asked = run_page("instructor", tmp_path, [])
    assert asked == []
    machines = {"random", "hill-climbing", "cma-es", "model"}
    players = [{line.split()[1] for line in table.splitlines()[1:]} for table in tables]
    assert players == [machines | {"model-told", "Ada"}, machines | {"Ada"}]
