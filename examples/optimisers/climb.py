#!/usr/bin/env python3
"""A hill climber over tool descriptions that only uses the standard library.

It scores its candidates with `touchstone fitness serve` on the train half of the
golden set. It keeps a change if the figure rises and the scanner reports no
finding. At the end it prints the figure for the held-out half, which consists of
queries that the climber has not used.

For each query whose expected tool is not first, the feedback lists the words for
which other tools rank before it. The climber adds words of that query to the
description of the expected tool, as a person might do first. An optimiser with a
language model would rewrite the description instead, with the same loop.

    go build -o touchstone ./cmd/touchstone
    python3 examples/optimisers/climb.py --touchstone ./touchstone
"""

import argparse
import json
import random
import re
import subprocess
import sys


def main():
    args = arguments()
    data = ["--corpus", args.corpus, "--golden", args.golden, "--seed", str(args.seed)]
    with open(args.corpus, encoding="utf-8") as file:
        original = {tool["tool_id"]: tool["description"] for tool in json.load(file)["tools"]}

    server = subprocess.Popen([args.touchstone, "fitness", "serve", *data], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, encoding="utf-8")
    best, changed = climb(server, original, random.Random(args.seed), args.rounds, args.width)
    server.stdin.close()
    if server.wait() != 0:
        sys.exit("touchstone fitness serve failed; run it by hand to see why")

    with open(args.out, "w", encoding="utf-8") as file:
        json.dump({"id": "climbed", "descriptions": changed}, file, ensure_ascii=False, indent=1, sort_keys=True)
    print(f"{len(changed)} descriptions changed, written to {args.out}; train {best['metric']} {best['fitness']:.4f}")
    subprocess.run([args.touchstone, "fitness", *data, args.out], check=True)


def arguments():
    parser = argparse.ArgumentParser(description="Improve tool descriptions by climbing.")
    parser.add_argument("--touchstone", default="touchstone", help="the program")
    parser.add_argument("--corpus", default="datasets/corpus_v2.json")
    parser.add_argument("--golden", default="datasets/golden_v2.json")
    parser.add_argument("--seed", type=int, default=1, help="of the split and of the climber's choices")
    parser.add_argument("--rounds", type=int, default=25)
    parser.add_argument("--width", type=int, default=8, help="candidates a round")
    parser.add_argument("--out", default="climbed.json")
    return parser.parse_args()


def climb(server, original, rng, rounds, width):
    """Return the best answer and its descriptions."""
    changed = {}
    best = score(server, [changed])[0]
    for _ in range(rounds):
        misses = [f for f in best.get("feedback", []) if not 1 <= f["expected"][0]["rank"] <= 5]
        if not misses:
            break
        candidates = [mutate(original, changed, rng.choice(misses), rng) for _ in range(width)]
        for candidate, answer in zip(candidates, score(server, candidates)):
            if answer["feasible"] and answer["fitness"] > best["fitness"]:
                best, changed = answer, candidate
    return best, changed


def score(server, candidates):
    """Send all candidates, then read all answers, so that they are scored in parallel."""
    for number, descriptions in enumerate(candidates):
        server.stdin.write(json.dumps({"id": f"c{number}", "descriptions": descriptions}) + "\n")
    server.stdin.flush()
    answers = []
    for _ in candidates:
        line = server.stdout.readline()
        if not line:
            sys.exit("touchstone fitness serve ended; run it by hand to see why")
        answer = json.loads(line)
        if answer.get("error"):
            sys.exit("touchstone: " + answer["error"])
        answers.append(answer)
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
