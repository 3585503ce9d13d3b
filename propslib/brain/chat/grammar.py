"""Optional: the form of a reply as a grammar in GBNF, the notation of llama.cpp.

A model under a grammar can only write texts that the grammar derives. So even one that cannot
follow instructions gives a reply that can be read, with every number on the policy's grid.
"""

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

    >>> number_rule(-0.1, 0.1, 1)
    '"-0.1" | "0.0" | "0.1"'

    Zero has no sign. Raises ValueError where there is no such number, or more than `MOST`.
    """
    # Whole numbers of the last decimal's unit, by way of the decimal text: 0.3 is 3 tenths.
    first = int(Decimal(str(low)).scaleb(decimals).to_integral_value(ROUND_CEILING))
    last = int(Decimal(str(high)).scaleb(decimals).to_integral_value(ROUND_FLOOR))
    if not first <= last <= first + MOST:
        raise ValueError(f"[{low}, {high}] has 0 or over {MOST:,} numbers of {decimals} decimals.")
    units = map(Decimal, range(first, last + 1))
    return " | ".join(f'"{unit.scaleb(-decimals):.{decimals}f}"' for unit in units)
