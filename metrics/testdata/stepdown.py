"""The p-values of metrics.StepDown, computed in another way.

Reads {"sets": [{"differences": [[...], ...], "groups": [...], "signs": [[...], ...]}]} from
standard input. differences has a list for each measure, groups the group of each query. signs has
a list of +1 and -1 for each assignment, one for each group in order of first appearance; without
signs, all assignments are tried. Writes a list of p-values for each set.

The t-statistics are computed as such, with the variance around the mean of all groups, and the
step-down procedure follows its definition: hypothesis by hypothesis, over the set of those that are
left. The Go program instead compares sums over the root of their squares, and counts in one pass.
"""

import itertools
import json
import math
import sys


def student(sums):
    n = len(sums)
    mean = math.fsum(sums) / n
    variance = math.fsum((s - mean) ** 2 for s in sums) / (n - 1)
    if variance < 1e-20:  # all sums are equal
        return math.inf if abs(mean) > 1e-12 else 0.0
    return abs(mean) / math.sqrt(variance / n)


def group_sums(values, groups):
    sums = {}
    for value, group in zip(values, groups):
        sums.setdefault(group, []).append(value)
    return [math.fsum(v) for v in sums.values()]


def adjusted(differences, groups, signs):
    columns = [group_sums(values, groups) for values in differences]
    drawn = signs is not None
    if not drawn:
        moving = [any(abs(c[g]) > 1e-9 for c in columns) for g in range(len(columns[0]))]
        free = [g for g, moves in enumerate(moving) if moves]
        signs = []
        for chosen in itertools.product((1, -1), repeat=len(free)):
            signs.append([1] * len(moving))
            for g, s in zip(free, chosen):
                signs[-1][g] = s
    live = [m for m, c in enumerate(columns) if any(abs(s) > 1e-9 for s in c)]
    observed = {m: student(columns[m]) for m in live}
    permuted = [{m: student([s * x for s, x in zip(row, columns[m])]) for m in live} for row in signs]
    p, left, before = [1.0] * len(columns), sorted(live, key=lambda m: -observed[m]), 0.0
    while left:
        m = left[0]
        extreme = sum(max(t[k] for k in left) >= observed[m] * (1 - 1e-7) for t in permuted)
        before = max(before, (extreme + drawn) / (len(signs) + drawn))
        p[m] = before
        left = left[1:]
    return p


if __name__ == "__main__":
    sets = json.load(sys.stdin)["sets"]
    json.dump([adjusted(s["differences"], s["groups"], s.get("signs")) for s in sets], sys.stdout)
