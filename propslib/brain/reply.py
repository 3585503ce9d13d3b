import re, numpy as np


class ReplyError(ValueError):
    pass


def read_params(text, *, size, low, high, decimals=None, missing=None):
    p = {}
    for i, v in re.findall(r"params\[(\d+)\]: (-?[\d.]+)", text):
        p.setdefault(int(i), float(v))
    return np.array([p[i] if missing is None else p.get(i, missing) for i in range(size)])


def read_rows(text, *, base, low, high):
    out = np.array(base, float)
    for a, b in re.findall(r"^(\d+) \| (\d+)", text, re.M):
        out[int(a)] = float(b)
    return out
