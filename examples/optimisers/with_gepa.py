#!/usr/bin/env python3
"""Tool descriptions as components of GEPA (pip install gepa).

Each description is a component, each query an example. GEPA proposes descriptions with a
language model that reads what ranks before the right tool, and why. It keeps those that are
better on the validation queries. The figures on held-out queries come at the end.

    python3 examples/optimisers/with_gepa.py --reflection-lm openai/gpt-5-mini
"""

import argparse
from collections import Counter

import gepa
from gepa import EvaluationBatch, GEPAAdapter
from touchstone_fitness import Touchstone, feedback, refusal

PROMPT = """Clients find the tools of MCP servers by a search over names and descriptions. This is the \
description of one tool:
```
<curr_param>
```

These are queries, the tools that the search found for them, and what is wrong with the order:

<side_info>

Write a better description of the same tool. Say what the tool does in the words that people use who need it, \
also for queries other than these. Promise nothing that the tool does not do, and give the model no orders. \
Write it within ``` blocks."""


class DescriptionAdapter(GEPAAdapter):
    """Evaluates candidates, tool ids to descriptions, on queries."""

    propose_new_texts = None  # GEPA proposes

    def __init__(self, touchstone):
        self.touchstone = touchstone

    def evaluate(self, batch, candidate, capture_traces=False):
        answer = self.touchstone.score(candidate, [query["id"] for query in batch])
        scores = {score["query_id"]: score for score in answer.get("scores", [])}
        texts, refused = feedback(answer), refusal(answer)
        trajectories = []
        for query in batch:
            score = scores.get(query["id"], {"score": 0.0, "ranked": []})
            trajectories.append({
                "query": query,
                "ranked": score["ranked"],
                "score": 0.0 if refused else float(score["score"]),
                "feedback": refused or texts[query["id"]],
            })
        return EvaluationBatch(outputs=[t["ranked"] for t in trajectories], scores=[t["score"] for t in trajectories],
                               trajectories=trajectories if capture_traces else None)

    def make_reflective_dataset(self, candidate, eval_batch, components_to_update):
        """Show each tool the queries that ask for it or that find it."""
        return {tool: [{"Inputs": {"query": t["query"]["query"]},
                        "Generated Outputs": ", ".join(t["ranked"]) or "no tool",
                        "Feedback": t["feedback"]}
                       for t in eval_batch.trajectories if tool in t["query"]["expected"] + t["ranked"]]
                for tool in components_to_update}


def most_missed(state, trajectories, subsample_scores, candidate_idx, candidate):
    """Choose the description to rewrite: that of the tool which most queries of the minibatch miss."""
    missed = Counter(t["query"]["expected"][0] for t in trajectories if t["score"] < 1)
    return [tool for tool, _ in missed.most_common(1)] or [next(iter(candidate))]


def main():
    parser = argparse.ArgumentParser(description="Improve tool descriptions with GEPA.",
                                     epilog="All other options are those of touchstone fitness.")
    parser.add_argument("--touchstone", default="touchstone", help="the program")
    parser.add_argument("--reflection-lm", required=True, help="the model that writes descriptions, as LiteLLM names it")
    parser.add_argument("--max-metric-calls", type=int, default=2000, help="how many times a query may be scored")
    parser.add_argument("--out", default="gepa.json")
    args, options = parser.parse_known_args()
    with Touchstone(args.touchstone, options) as touchstone:
        train, validation = touchstone.part("train"), touchstone.part("validation")
        # Only tools that some query of the train part asks for can be improved by it.
        tools = sorted({query["expected"][0] for query in train})
        result = gepa.optimize(
            seed_candidate={tool: touchstone.descriptions[tool] for tool in tools},
            trainset=train,
            valset=validation or None,
            adapter=DescriptionAdapter(touchstone),
            reflection_lm=args.reflection_lm,
            reflection_prompt_template=PROMPT,
            module_selector=most_missed,
            max_metric_calls=args.max_metric_calls,
        )
        touchstone.save(result.best_candidate, args.out, "gepa")


if __name__ == "__main__":
    main()
