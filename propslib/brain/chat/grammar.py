"""Optional: the form of a reply as a grammar in GBNF, the notation of llama.cpp.

A model under a grammar can only write texts that the grammar derives. So even one that cannot
follow instructions gives a reply that can be read, with every number on the policy's grid.
"""

from collections import defaultdict
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal

from ...policy import Policy

MOST = 100_000  # numbers in a rule
REASON = 120  # characters, at most


def reply_grammar(policy: Policy, *, rows: bool = False) -> str:
    """The grammar of the two lines that the prompts ask for, or of a reason and table rows.

    Line 1 gives every parameter in order, ``params[0]: 0.1, params[1]: -6.0``, line 2 a reason
    of plain characters. With `rows` the reason comes first, and then a line ``state | action``
    for each state that changes, one or more: in order, each at most once.
    """
    number = number_rule(policy.low, policy.high, policy.decimals)
    if rows:
        # Each rule begins at one state: this row and maybe more after it, or only later ones.
        last = policy.size - 1
        form = ["root ::= reason row0"]
        form += [f'row{i} ::= "\\n{i} | " number row{i + 1}? | row{i + 1}' for i in range(last)]
        form += [f'row{last} ::= "\\n{last} | " number']
    else:
        line = ' ", " '.join(f'"params[{i}]: " number' for i in range(policy.size))
        form = [f'root ::= {line} "\\n" reason']
    reason = f'reason ::= [A-Z] [a-z0-9 ,()-]{{9,{REASON - 2}}} "."'
    return "\n".join([*form, f"number ::= {number}", reason])


def longest_reply(policy: Policy) -> int:
    """A bound on the characters of a reply under `reply_grammar`."""
    number = max(len(f"{end:.{policy.decimals}f}") for end in (policy.low, policy.high))
    return policy.size * (len(f"params[{policy.size}]: , ") + number) + 1 + REASON


def number_rule(low: float, high: float, decimals: int) -> str:
    """A grammar rule for exactly the numbers from low to high with that many decimals.

    >>> number_rule(0, 21, 0)
    '[03456789] | [1] ([0123456789] | "") | [2] ([01] | "")'

    Zero has no sign. Raises ValueError where there is no such number, or more than `MOST`.
    """
    # Whole numbers of the last decimal's unit, by way of the decimal text: 0.3 is 3 tenths.
    first = int(Decimal(str(low)).scaleb(decimals).to_integral_value(ROUND_CEILING))
    last = int(Decimal(str(high)).scaleb(decimals).to_integral_value(ROUND_FLOOR))
    if not first <= last <= first + MOST:
        raise ValueError(f"[{low}, {high}] has 0 or over {MOST:,} numbers of {decimals} decimals.")
    units = map(Decimal, range(first, last + 1))
    return _one_of([f"{unit.scaleb(-decimals):.{decimals}f}" for unit in units])


def _one_of(texts: list[str]) -> str:
    """A rule for exactly these texts: a first sign, then what may follow it.

    >>> _one_of(["07", "08", "17", "18", "20"])
    '[01] ([78]) | [2] ([0])'
    """
    rests: dict[str, list[str]] = defaultdict(list)
    for text in filter(None, texts):
        rests[text[0]].append(text[1:])
    signs: dict[str, str] = defaultdict(str)  # those that the same may follow
    for sign, rest in rests.items():
        signs[_one_of(rest)] += sign
    options = [f"[{sign}] ({rest})" if rest else f"[{sign}]" for rest, sign in signs.items()]
    return " | ".join(options + ['""'] * (options != [] and "" in texts))
