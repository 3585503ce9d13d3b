"""Optional: the form of a reply as a grammar in GBNF, the notation of llama.cpp.

A model under a grammar can only write texts that the grammar derives. So even one that cannot
follow instructions gives a reply that can be read, with every number on the policy's grid.
"""

from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal

from ...policy import Policy

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

    >>> number_rule(-1, 6, 1)
    '[0-5] "." [0-9] | "6" "." "0" | "-" "0" "." [1-9] | "-" "1" "." "0"'

    Zero has no sign. Raises ValueError where there is no such number.
    """
    # Whole numbers of the last decimal's unit, by way of the decimal text: 0.3 is 3 tenths.
    first = int(Decimal(str(low)).scaleb(decimals).to_integral_value(ROUND_CEILING))
    last = int(Decimal(str(high)).scaleb(decimals).to_integral_value(ROUND_FLOOR))
    if first > last:
        raise ValueError(f"No number with {decimals} decimals lies in [{low}, {high}].")
    positive = _magnitudes(max(first, 0), last, decimals)
    negative = _magnitudes(max(-last, 1), -first, decimals)
    return " | ".join(positive + [f'"-" {magnitude}' for magnitude in negative])


def _magnitudes(first: int, last: int, decimals: int) -> list[str]:
    """Alternatives that together give exactly the numbers first..last, as units of 10^-decimals."""
    found = []
    shortest, point = decimals + 1, ['"."'] if decimals else []  # a digit before it, as in 0.1
    for length in range(shortest, len(str(max(last, 0))) + shortest):
        least = 0 if length == shortest else 10 ** (length - 1)
        low, high, whole = max(first, least), min(last, 10**length - 1), length - decimals
        for digits in _spans(f"{low:0{length}}", f"{high:0{length}}") if low <= high else ():
            found.append(" ".join([*digits[:whole], *point, *digits[whole:]]))
    return found


def _spans(low: str, high: str) -> list[list[str]]:
    """Lists of digit classes that together give the numbers low..high of equally many digits.

    >>> _spans("07", "25")
    [['"0"', '[7-9]'], ['"1"', '[0-9]'], ['"2"', '[0-5]']]
    """
    if not low:
        return [[]]
    rest = len(low) - 1
    zeros, nines = "0" * rest, "9" * rest
    if low[0] == high[0]:
        return [[_digit(low[0], low[0]), *tail] for tail in _spans(low[1:], high[1:])]
    if low[1:] != zeros:
        head = _spans(low, low[0] + nines)
        return head + _spans(str(int(low[0]) + 1) + zeros, high)
    if high[1:] != nines:
        head = _spans(low, str(int(high[0]) - 1) + nines)
        return head + _spans(high[0] + zeros, high)
    return [[_digit(low[0], high[0]), *[_digit("0", "9")] * rest]]


def _digit(first: str, last: str) -> str:
    return f'"{first}"' if first == last else f"[{first}-{last}]"
