"""A stand-in for dspy, with the interfaces that a metric of dspy.GEPA meets."""

import inspect
from concurrent.futures import ThreadPoolExecutor

settings = {}


class Example:
    def __init__(self, **fields):
        self.__dict__["_store"] = fields

    def __getattr__(self, name):
        try:
            return self.__dict__["_store"][name]
        except KeyError:
            raise AttributeError(name)

    def __getitem__(self, name):
        return self._store[name]

    def with_inputs(self, *keys):
        assert set(keys) <= set(self._store)
        self.__dict__["_input_keys"] = set(keys)
        return self


class Prediction(Example):
    def __float__(self):
        return float(self._store["score"])


class LM:
    def __init__(self, model):
        self.model = model


def configure(lm):
    settings["lm"] = lm


class Signature:
    def __init__(self, signature, instructions):
        inputs, output = signature.split("->")
        self.inputs, self.output = [name.strip() for name in inputs.split(",")], output.strip()
        self.instructions = instructions


class Predict:
    """Answers with the description and the part of the instructions after "add:"."""

    def __init__(self, signature):
        self.signature = signature

    def __call__(self, **inputs):
        assert sorted(inputs) == sorted(self.signature.inputs) and settings["lm"]
        added = self.signature.instructions.partition("add:")[2]
        return Prediction(**{self.signature.output: inputs["description"] + added})


class GEPA:
    def __init__(self, metric, *, auto=None, max_full_evals=None, max_metric_calls=None, reflection_minibatch_size=3,
                 candidate_selection_strategy="pareto", reflection_lm=None, seed=0):
        inspect.signature(metric).bind(None, None, None, None, None)
        assert max_metric_calls and isinstance(reflection_lm, LM)
        self.metric = metric

    def compile(self, student, *, trainset, teacher=None, valset=None):
        def run(example):
            return student(tool=example.tool, description=example.description)

        def scored(example):  # as dspy.Evaluate calls it, with several threads
            return self.metric(example, run(example))

        with ThreadPoolExecutor(4) as threads:
            before = list(threads.map(scored, trainset))
        assert all(isinstance(p, Prediction) and 0 <= float(p) <= 1 for p in before)
        lacking = set()
        for example, known in zip(trainset, before):  # as it asks for the feedback to one predictor
            p = run(example)
            inputs = {"tool": example.tool, "description": example.description}
            answer = self.metric(example, p, [(student, inputs, p)], "self", [(student, inputs, p)])
            assert float(answer) == float(known), "the score with and without the predictor differs"
            assert isinstance(answer["feedback"], str) and answer["feedback"]
            lacking |= {w for line in answer.feedback.splitlines() if " lacks: " in line
                        for w in line.rsplit("lacks: ", 1)[1].rstrip(".").split(", ") if w.isalpha()}
        assert float(self.metric(trainset[0], Prediction())) == 0
        assert lacking, "no feedback names a word"
        for example in valset or []:
            assert "lacks" not in self.metric(example, run(example)).feedback, "the validation part has feedback"
        student.signature.instructions += " add: " + " ".join(sorted(lacking)[:3])
        with ThreadPoolExecutor(4) as threads:
            after = list(threads.map(scored, trainset))
        print(f"train {sum(map(float, before)) / len(before):.4f} before and "
              f"{sum(map(float, after)) / len(after):.4f} after")
        return student
