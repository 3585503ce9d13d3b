"""The tournament: what counts, what is refused and why, who is first."""

import json
import os
import shutil

import numpy as np
import pytest
from leaderboard import LARGEST, leaderboard
from pages import ROOT, read
from person import converse, kernel
from recorded import set_up
from tournament import Tournament

from propslib import Disguised, HillClimbing, LLMBrain, RandomSearch, Reply
from propslib.brain import CMAES, StopSearch
from propslib.judge import held_out


@pytest.fixture
def game(car, policy, tmp_path):
    return Tournament(tmp_path / "game", car, policy, budget=4, warmup=3, episodes=2)


def player(policy, *lines):
    """Proposes these points, then stops."""
    left = iter(lines)

    def typist(prompt):
        for line in left:
            return Reply(line.replace(" ", ", "))
        raise StopSearch("No line is left.")

    return LLMBrain(typist, policy, repeats=True)


def judged(game):
    return leaderboard(game, 7, starts=5)


def records_of(path):
    """The records of a log in the older form, whose lines have no checksums: easy to forge."""
    header, *events = (json.loads(line) for line in path.read_text().splitlines())
    for record in (header, *events):
        del record["crc"]
    return [header | {"format": "props-run/1"}, *events]


def write(path, records):
    path.write_text("".join(json.dumps(record) + "\n" for record in records))


@pytest.fixture
def log(game):
    """The log of an honest search of four proposals, its records."""
    game.play("honest", HillClimbing(game.policy, seed=1))
    return records_of(game.folder / "honest.jsonl")


def refused(game, files):
    """Why each file that is not the honest log is refused."""
    board = judged(game)
    assert [entry.name for entry in board.entries] == ["honest"]
    assert set(board.refused) == set(files)
    assert str(game.folder) not in "".join(board.refused.values())
    return board.refused


def reason(game, records):
    """Why a log of these records is refused."""
    write(game.folder / "other.jsonl", records)
    return refused(game, ["other.jsonl"])["other.jsonl"]


def test_players_are_ranked_by_their_chosen_points_on_starts_that_nobody_knew(game):
    for seed, name in enumerate(["ada", "Bob B", "eve-2"]):
        game.play(name, RandomSearch(game.policy, seed=seed))
    game.play("zoë", player(game.policy, "0 0 0", "0 0 0.1"))
    first, again = (leaderboard(game, starts=5) for _ in range(2))
    assert first.judging != again.judging  # drawn each time
    board = leaderboard(game, first.judging, starts=5)
    means = [entry.held_out.mean for entry in board.entries]
    assert means == [e.held_out.mean for e in first.entries] == sorted(means, reverse=True)
    assert board.refused == {} and {entry.mark for entry in board.entries} == {""}
    seeds = np.random.default_rng(board.judging).integers(10**6, 2**31, size=5).tolist()
    for entry in board.entries:
        own = held_out(game.world, game.policy, entry.run.best.params, seeds)
        assert entry.held_out.mean == own.mean
        assert entry.gap == entry.run.best.value - own.mean
        difference = board.entries[0].held_out.returns - own.returns
        assert entry.behind.mean == pytest.approx(difference.mean())
        assert entry.behind.low <= entry.behind.mean <= entry.behind.high


@pytest.mark.parametrize("name", ["mountaincar-props-2", "mountaincar-disguised"])
def test_a_recorded_search_is_worth_what_the_recorder_measured(name):
    """The recorder's code is not the library's; its figures stand in the recordings' README."""
    record, world, policy, _ = set_up(name)
    with world:
        mean = held_out(world, policy, record.best.params).mean
    readme = (ROOT / "notebooks/recordings/README.md").read_text()
    (line,) = (line for line in readme.splitlines() if line.startswith(f"| {name} "))
    assert f" | {getattr(world, 'true_value', float)(mean):.2f} [" in line


def test_equal_results_share_a_place_and_are_not_told_apart(game):
    for name, lines in (("one", "0 0 0"), ("two", "6 6 6|0 0 0"), ("three", "0 0 0.1")):
        game.play(name, player(game.policy, *lines.split("|")))
    rows = judged(game).table.rows
    first = [["1.= one", "0.00 (1)", "1"], ["1.= two", "0.00 (2)", "2"]]
    # 30 steps of force 0.1 cost 0.1 * 0.01 each.
    third = ["3. three", "-0.03 [-0.03, -0.03]", "0.03 [0.03, 0.03]", "-0.03 (1)", "0.00", "1"]
    assert [[row[k] for k in (0, 3, 5)] for row in rows[:2]] == first and rows[2][:6] == third


def test_a_search_that_ended_early_counts_and_goes_on_in_its_log(game, capsys):
    run = game.play("ada", player(game.policy, "6 6 6"))
    assert run.best.warmup and "has a log here" not in capsys.readouterr().out
    assert judged(game).table.rows[0][3] == f"{run.best.value:.2f} (0)"
    run = game.play("ada", player(game.policy, "1 1 1", "2 2 2", "3 3 3", "4 4 4"))
    assert "ada has a log here" in capsys.readouterr().out
    assert [trial.params[0] for trial in run.proposals] == [6, 1, 2, 3]
    (entry,) = judged(game).entries
    assert len(entry.run.proposals) == 4


@pytest.mark.parametrize(
    "name", ["", "../ada", "a/b", "a\\b", ".ada", "ada ", "a:b", "ada\n", "_ada", "$x$"]
)
def test_a_name_that_cannot_be_a_file_or_a_label_is_refused_by_game_and_board(game, log, name):
    with pytest.raises(ValueError, match="also the log's"):
        game.play(name, RandomSearch(game.policy))
    if name and "/" not in name and name[0] != ".":
        shutil.copy(game.folder / "honest.jsonl", game.folder / f"{name}.jsonl")
        assert "also the log's" in judged(game).refused[f"{name}.jsonl"]


BROKEN = [b"", b"Dear teacher, here is my log.\n", b"[1, 2]\n", b'{"format": "props-run/1"}\n']
BROKEN += [b"\xff\xfe\x00\n", b"[" * 100_000 + b"\n", b'{"format": "props-run/1", "config": 5}\n']


def test_a_missing_folder_is_named(game):
    with pytest.raises(FileNotFoundError, match="no folder .*game"):
        leaderboard(game)


@pytest.mark.parametrize("text", BROKEN, ids=range(len(BROKEN)))
def test_a_broken_log_is_refused_and_the_others_are_read(game, log, text):
    (game.folder / "other.jsonl").write_bytes(text)
    why = refused(game, ["other.jsonl"])["other.jsonl"]
    assert "broken" in why or "utf-" in why


def test_what_is_no_small_regular_file_is_listed_and_never_read(game, log):
    os.mkfifo(game.folder / "pipe.jsonl")
    (game.folder / "device.jsonl").symlink_to("/dev/zero")
    with (game.folder / "big.jsonl").open("wb") as file:
        file.truncate(182_000_000)
    copies = {"ada.jsonl.txt": ".jsonl", "HONEST.JSONL": ".jsonl", "._ada.jsonl": "hidden"}
    copies[".ipynb_checkpoints/honest-checkpoint.jsonl"] = "hidden"
    (game.folder / ".ipynb_checkpoints").mkdir()
    for name in copies:
        shutil.copy(game.folder / "honest.jsonl", game.folder / name)
    words = dict.fromkeys(("pipe.jsonl", "device.jsonl", "big.jsonl"), f"{LARGEST:,}") | copies
    found = refused(game, words)
    assert all(word in found[file] for file, word in words.items()), found


SETTINGS = {"seed": 1, "episodes": 3, "warmup": 0, "world": None}
OTHERS = [
    *(({name: k}, f"another task: its {name} is {k}, not ") for name, k in SETTINGS.items()),
    ({"world": {"env_id": "Swimmer-v5"}}, "its env_id is 'Swimmer-v5', not 'MountainCarCon"),
    *(({"budget": 5}, "over budget: 5 proposals, not 4"), ({"budget": "4"}, "broken: TypeError")),
]


@pytest.mark.parametrize(("change", "why"), OTHERS)
def test_another_task_is_refused_with_what_differs(game, log, change, why):
    header = log[0] | {"config": log[0]["config"] | change}
    assert why in reason(game, [header, *log[1:]])


def test_the_disguise_is_part_of_the_task(game, log):
    for seed in (1, 2):
        hidden = Disguised(game.world, game.policy, seed=seed)
        other = Tournament(game.folder, hidden, game.policy, budget=4, warmup=3, episodes=2)
        other.play(f"hidden-{seed}", RandomSearch(game.policy))
    board = judged(other)
    assert [entry.name for entry in board.entries] == ["hidden-2"]
    assert "its seed is 1, not 2" in board.refused["hidden-1.jsonl"]
    assert "its disguise is None" in board.refused["honest.jsonl"]


def test_more_or_fewer_events_than_the_budget_allows_are_refused(game, log):
    more = [log[-2] | {"iteration": 5}, log[-1] | {"iteration": 5}]
    assert "over budget: 5" in reason(game, log + more)
    first = next(k for k, record in enumerate(log) if record.get("event") == "ask")
    assert reason(game, log[:first] + log[first + 2 :])  # the first proposal is gone
    assert reason(game, log[:first]) == "no proposal yet"
    assert reason(game, [log[0], log[1] | {"params": [0.0, 0.0, 0.0]}, *log[2:]])
    assert reason(game, [*log, 5]) and reason(game, [*log, {"no": "event"}])


CHANGED = [
    *[({"value": 99.0, "returns": [99.0, 99.0]}, "99.00"), ({"value": 99.0}, "99.0")],
    *[({"value": float("nan")}, "nan"), ({"value": "much"}, "broken"), ({"returns": [1.0]}, "")],
    *[({"params": [0.0, y, 0.0]}, words) for y, words in ((0.0, "earns 0.00"), (7.0, "grid"))],
    *[({"params": [0.0, 0.05, 0.0]}, "grid"), ({"params": [0.0, 6.0]}, "")],
    *[({"params": [0.0, float("nan"), 0.0]}, "nan"), ({"params": [10**400, 0, 0]}, "")],
    (None, "claims"),  # its returns are swapped
]


@pytest.mark.parametrize(("change", "words"), CHANGED)
def test_a_changed_trial_is_noticed(game, log, change, words):
    change = change or {"returns": log[-1]["returns"][::-1]}
    both = {"params": change["params"]} if "params" in change else {}
    assert words in reason(game, [*log[:-2], log[-2] | both, log[-1] | change])


def test_the_last_bits_of_another_machine_are_no_change(game, log):
    returns = (np.array(log[-1]["returns"]) + 1e-6).tolist()
    last = log[-1] | {"returns": returns, "value": float(np.mean(returns))}
    write(game.folder / "near.jsonl", [*log[:-1], last])
    assert len(judged(game).entries) == 2


@pytest.mark.parametrize("other", ["honest", "HONEST"])
def test_of_two_logs_of_one_name_none_counts_and_both_are_named(game, log, other):
    (game.folder / "b").mkdir()
    shutil.copy(game.folder / "honest.jsonl", game.folder / "b" / f"{other}.jsonl")
    board = judged(game)
    assert board.entries == [] and set(board.refused) == {"honest.jsonl", f"b/{other}.jsonl"}
    assert all("2 logs have the name" in why for why in board.refused.values())
    assert board.table.rows == []


def test_a_log_with_true_values_that_shows_no_search_is_marked(game):
    """A point from elsewhere, claimed for a person, for an optimiser, and for nobody; a copy."""
    game.play("ada", player(game.policy, "0 6 0.1", "1 1 1"))
    game.play("cma", CMAES(game.policy))
    header, *events = records_of(game.folder / "ada.jsonl")
    forged = {
        "silent": [header, *({k: v for k, v in e.items() if k != "reply"} for e in events)],
        "prompts": [header, *(e | {"prompt_sha256": "0"} if "reply" in e else e for e in events)],
    }
    brains = {"climbs": {"brain": "CMAES", "sigma": 1.0, "seed": 0}, "nobody": {"brain": "Magic"}}
    for name, brain in brains.items():
        forged[name] = [header | {"config": header["config"] | {"brain": brain}}, *events]
    for name, records in forged.items():
        write(game.folder / f"{name}.jsonl", records)
    shutil.copy(game.folder / "cma.jsonl", game.folder / "copied.jsonl")
    marks = {entry.name: entry.mark for entry in judged(game).entries}
    words = {"silent": "no search", "nobody": "no search", "prompts": "prompt"}
    words |= {"climbs": "proposal 1", "cma": "the same as copied", "copied": "the same as cma"}
    assert {name: word for name, word in words.items() if word in marks[name]} == words
    assert set(marks) == {"ada", *words} and "no search" not in marks["ada"]


def run_page(name, folder, changes, lines):
    """Run a page with its cells changed, by a person who types these lines."""
    page = read(ROOT / "notebooks" / f"{name}.ipynb")
    shown, asked, lines = [], [], iter(lines)
    with kernel(cwd=str(folder)) as client:
        for source in (cell.source for cell in page.cells if cell.cell_type == "code"):
            for old, new in changes.items():
                source = source.replace(old, new)
            outputs, questions = converse(client, source, lines)
            assert not [out for out in outputs if "ename" in out], (source, outputs)
            asked += questions
            shown += [out["data"]["text/plain"] for out in outputs if "data" in out]
    return [table for table in shown if table.startswith("place")], asked


def test_in_class_people_play_on_their_page_and_the_leader_sees_them_all(tmp_path):
    short = {'Continuous-v0")': 'Continuous-v0", max_steps=30)'}  # no time to lose
    short["../book/classroom"] = str(ROOT / "book" / "classroom")
    lines = ["0 6 0.1 # from the book", "1 1 1", "stop", "2 2 2", "stop"]
    tables, asked = run_page("tournament", tmp_path, short | {'WHO = ""': 'WHO = "Ada"'}, lines)
    moments = ["1 of 10", "2 of 10", "3 of 10", "1 of 25", "2 of 25"]
    assert [question[:16] for question in asked] == [f"Proposal {moment}" for moment in moments]
    assert tables == []  # a player's page judges nobody
    for number in (1, 2):
        folder = tmp_path / "runs" / "tournament" / f"round-{number}"
        assert [path.name for path in folder.glob("*.jsonl")] == ["Ada.jsonl"]
    leads = short | {'CLASS = ""': 'CLASS = "runs/tournament"'}
    tables, asked = run_page("tournament_leader", tmp_path, leads, [])
    assert asked == []
    machines = {"random", "hill climbing", "CMA-ES", "model"}
    players = [{r.split("  ")[0].split(" ", 1)[1] for r in t.splitlines()[1:]} for t in tables]
    assert players == [machines | {"model, told the task", "Ada"}, machines | {"Ada"}]
