#!/usr/bin/env python3
"""A hill climber over tool descriptions that only uses the standard library.

It scores its candidates with `touchstone fitness serve` on the train part of the
golden set. It keeps a change if the figure rises and the scanner reports no
finding. At the end it prints the figure for the held-out part, which consists of
queries that the climber has not used.

For each query whose expected tool is not first, the feedback lists the words for
which other tools rank before it. The climber adds words of that query to the
description of the expected tool, as a person might do first. An optimiser with a
language model would rewrite the description instead, with the same loop.

    go build -o touchstone ./cmd/touchstone
    python3 examples/optimisers/climb.py --touchstone ./touchstone
"""

import argparse
import random
import re
import sys

from touchstone_fitness import Touchstone


def main():
    parser = argparse.ArgumentParser(description="Improve tool descriptions by climbing.",
                                     epilog="All other options are those of touchstone fitness.")
    parser.add_argument("--touchstone", default="touchstone", help="the program")
    parser.add_argument("--seed", type=int, default=1, help="of the parts and of the climber's choices")
    parser.add_argument("--rounds", type=int, default=25)
    parser.add_argument("--width", type=int, default=8, help="candidates a round")
    parser.add_argument("--out", default="climbed.json")
    args, options = parser.parse_known_args()
    with Touchstone(args.touchstone, ["--seed", str(args.seed), *options]) as touchstone:
        best, changed = climb(touchstone, random.Random(args.seed), args.rounds, args.width)
        print(f"train {best['metric']} {best['fitness']:.4f}")
        touchstone.save(changed, args.out, "climbed")


def climb(touchstone, rng, rounds, width):
    """Return the best answer and its descriptions."""
    changed = {}
    best = score(touchstone, [changed])[0]
    for _ in range(rounds):
        misses = [f for f in best.get("feedback", []) if not 1 <= f["expected"][0]["rank"] <= 5]
        if not misses:
            break
        candidates = [mutate(touchstone.descriptions, changed, rng.choice(misses), rng) for _ in range(width)]
        for candidate, answer in zip(candidates, score(touchstone, candidates)):
            if answer["feasible"] and answer["fitness"] > best["fitness"]:
                best, changed = answer, candidate
    return best, changed


def score(touchstone, candidates):
    answers = touchstone.score_all([(descriptions, ()) for descriptions in candidates])
    for answer in answers:
        if answer.get("error"):
            sys.exit("touchstone: " + answer["error"])
    return answers


def mutate(original, changed, miss, rng):
    """Add words of a missed query to the description of its tool."""
    tool = miss["expected"][0]["tool_id"]
    text = changed.get(tool, original[tool])
    known = set(re.findall(r"\w+", text.lower()))
    words = [w for w in dict.fromkeys(re.findall(r"\w+", miss["query"].lower())) if w not in known and len(w) > 3]
    chosen = rng.sample(words, min(len(words), rng.randint(1, 3)))
    if not chosen:
        return dict(changed)
    return {**changed, tool: text.rstrip() + " Also for: " + ", ".join(chosen) + "."}


if __name__ == "__main__":
    main()
