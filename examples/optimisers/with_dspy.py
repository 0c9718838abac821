#!/usr/bin/env python3
"""A DSPy program that writes tool descriptions, optimised by dspy.GEPA (pip install dspy).

The program gets a tool with its description and writes a better one. The metric scores what
it wrote on the queries that ask for the tool. dspy.GEPA improves the program's instructions
by the feedback of the metric, so that the program also serves tools without queries.

    python3 examples/optimisers/with_dspy.py --lm openai/gpt-5-mini
"""

import argparse

import dspy
from touchstone_fitness import Touchstone, feedback, refusal

INSTRUCTIONS = ("Rewrite the description of a tool so that a search over descriptions finds it for what people ask. "
                "Promise nothing that the tool does not do, and give the model no orders.")


class DescriptionMetric:
    """Scores pred.new_description on the queries of an example. dspy.GEPA calls it with five arguments."""

    def __init__(self, touchstone):
        self.touchstone = touchstone

    def __call__(self, example, pred, trace=None, pred_name=None, pred_trace=None):
        text = (getattr(pred, "new_description", None) or "").strip()
        if not text:
            return dspy.Prediction(score=0.0, feedback="The answer has no description.")
        answer = self.touchstone.score({example.tool: text}, example.query_ids)
        if refusal(answer):
            return dspy.Prediction(score=0.0, feedback=refusal(answer))
        return dspy.Prediction(score=float(answer["fitness"]), feedback="\n\n".join(feedback(answer).values()))


def examples(touchstone, part):
    """Return an example for each tool that queries of the part ask for."""
    asked = {}
    for query in touchstone.part(part):
        asked.setdefault(query["expected"][0], []).append(query["id"])
    return [dspy.Example(tool=tool, description=touchstone.descriptions[tool], query_ids=ids)
            .with_inputs("tool", "description") for tool, ids in sorted(asked.items())]


def main():
    parser = argparse.ArgumentParser(description="Improve a program that writes tool descriptions with dspy.GEPA.",
                                     epilog="All other options are those of touchstone fitness.")
    parser.add_argument("--touchstone", default="touchstone", help="the program")
    parser.add_argument("--lm", required=True, help="the model that writes descriptions")
    parser.add_argument("--reflection-lm", help="the model that writes instructions (default: the same)")
    parser.add_argument("--max-metric-calls", type=int, default=500)
    parser.add_argument("--out", default="dspy.json")
    args, options = parser.parse_known_args()
    dspy.configure(lm=dspy.LM(args.lm))
    with Touchstone(args.touchstone, options) as touchstone:
        optimiser = dspy.GEPA(metric=DescriptionMetric(touchstone), max_metric_calls=args.max_metric_calls,
                              reflection_lm=dspy.LM(args.reflection_lm or args.lm))
        program = optimiser.compile(
            dspy.Predict(dspy.Signature("tool, description -> new_description", INSTRUCTIONS)),
            trainset=examples(touchstone, "train"),
            valset=examples(touchstone, "validation") or None,
        )
        written = {e.tool: program(tool=e.tool, description=e.description).new_description
                   for e in examples(touchstone, "train")}
        touchstone.save(written, args.out, "dspy")


if __name__ == "__main__":
    main()
