"""A stand-in for gepa, with its interfaces and a loop that calls an adapter as gepa does.

The names, arguments and fields are those of gepa 0.1.4: gepa.optimize, GEPAAdapter,
EvaluationBatch, the selector of components and the placeholders of the prompt.
"""

import random
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

RolloutOutput = TypeVar("RolloutOutput")
Trajectory = TypeVar("Trajectory")
DataInst = TypeVar("DataInst")


@dataclass
class EvaluationBatch(Generic[Trajectory, RolloutOutput]):
    outputs: list
    scores: list
    trajectories: Any = None
    objective_scores: Any = None
    num_metric_calls: Any = None


class GEPAAdapter(Protocol[DataInst, Trajectory, RolloutOutput]):
    def evaluate(self, batch, candidate, capture_traces=False): ...

    def make_reflective_dataset(self, candidate, eval_batch, components_to_update): ...

    propose_new_texts = None


class Result:
    def __init__(self, best_candidate):
        self.best_candidate = best_candidate


def model(prompt):
    """A language model that adds the words which, by the feedback, the tool lacks."""
    current, rest = prompt.split("```", 2)[1].strip(), prompt.split("```", 2)[2]
    lacking = [line.rsplit("lacks: ", 1)[1].rstrip(".") for line in rest.splitlines() if " lacks: " in line]
    return "```\n" + current + " " + ", ".join(lacking) + "\n```"


def checked(adapter, batch, candidate, capture_traces):
    before = [dict(item) for item in batch], dict(candidate)
    result = adapter.evaluate(batch, candidate, capture_traces=capture_traces)
    assert isinstance(result, EvaluationBatch)
    assert len(result.outputs) == len(result.scores) == len(batch), "one output and one score an example"
    assert all(isinstance(score, float) for score in result.scores), result.scores
    assert (result.trajectories is None) == (not capture_traces)
    assert result.trajectories is None or len(result.trajectories) == len(batch)
    assert before == ([dict(item) for item in batch], dict(candidate)), "evaluate changed its arguments"
    return result


def optimize(seed_candidate, trainset, valset=None, adapter=None, task_lm=None, evaluator=None, reflection_lm=None,
             reflection_lm_kwargs=None, candidate_selection_strategy="pareto", frontier_type="instance",
             skip_perfect_score=True, batch_sampler="epoch_shuffled", reflection_minibatch_size=None,
             perfect_score=1.0, reflection_prompt_template=None, custom_candidate_proposer=None,
             module_selector="round_robin", use_merge=False, max_merge_invocations=5, merge_val_overlap_floor=5,
             max_metric_calls=None, seed=0):
    assert isinstance(reflection_lm, str) and adapter.propose_new_texts is None
    assert "<curr_param>" in reflection_prompt_template and "<side_info>" in reflection_prompt_template
    own = valset is not None
    valset, rng, size = valset or trainset, random.Random(seed), reflection_minibatch_size or 3
    best, best_score = seed_candidate, sum(checked(adapter, valset, seed_candidate, False).scores)
    first, calls = best_score, len(valset)
    refused = checked(adapter, trainset[:1], {next(iter(seed_candidate)): " "}, True)
    assert refused.scores == [0.0] and "empty" in refused.trajectories[0]["feedback"], refused
    while calls < max_metric_calls:
        batch = rng.sample(trainset, size)
        batch[-1] = rng.choice(batch)  # gepa fills the last minibatch of an epoch with examples it has had
        now = checked(adapter, batch, best, True)
        calls += len(batch)
        if all(score >= perfect_score for score in now.scores):
            continue
        components = module_selector(None, now.trajectories, now.scores, 0, best)
        assert components and set(components) <= set(best), components
        dataset = adapter.make_reflective_dataset(best, now, components)
        child = dict(best)
        for name in components:
            assert dataset[name], "nothing to reflect on"
            assert all(set(record) == {"Inputs", "Generated Outputs", "Feedback"} for record in dataset[name])
            side = "\n".join(record["Feedback"] for record in dataset[name])
            prompt = reflection_prompt_template.replace("<curr_param>", best[name]).replace("<side_info>", side)
            child[name] = model(prompt).split("```")[1].strip()
        if sum(checked(adapter, batch, child, True).scores) > sum(now.scores):
            calls += len(valset)
            score = sum(checked(adapter, valset, child, False).scores)
            if score > best_score:
                best, best_score = child, score
    print(f"validation rose from {first / len(valset):.4f} to {best_score / len(valset):.4f}")
    assert own or best_score > first
    return Result(best)
