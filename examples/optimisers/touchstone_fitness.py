"""A client of `touchstone fitness serve` that only uses the standard library.

    with Touchstone(options=["--part", "validation=0.2"]) as touchstone:
        answer = touchstone.score({"files:read": "Reads a text file."}, queries=["q001", "q002"])
"""

import json
import subprocess
import threading


class Touchstone:
    """Scores descriptions. It may be used by several threads.

    queries are the queries that an optimiser sees, by id: a dict with id, part ("train" or
    "validation"), query and expected, the ids of the right tools, the best first.
    descriptions are the original ones by tool id. metric is the name of the score.
    """

    def __init__(self, program="touchstone", options=()):
        self.command, self.options = [program, "fitness"], list(options)
        listed = subprocess.run([*self.command, "parts", "--json", *options], check=True, stdout=subprocess.PIPE,
                                stderr=subprocess.DEVNULL, text=True, encoding="utf-8")
        parts = json.loads(listed.stdout)
        self.metric, self.descriptions = parts["metric"], parts["descriptions"]
        self.queries = {query["id"]: query for query in parts["queries"]}
        self.lock = threading.Lock()
        self.server = subprocess.Popen([*self.command, "serve", *options], stdin=subprocess.PIPE,
                                       stdout=subprocess.PIPE, text=True, encoding="utf-8")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def part(self, name):
        """Return the queries of a part."""
        return [query for query in self.queries.values() if query["part"] == name]

    def score(self, descriptions, queries=()):
        """Return the answer for one candidate. Without queries it is scored on all."""
        return self.score_all([(descriptions, queries)])[0]

    def score_all(self, candidates):
        """Return the answers for candidates, (descriptions, queries) each. They are scored in parallel.

        An answer has "error" if Touchstone refuses the candidate.
        """
        lines = []
        for number, (descriptions, queries) in enumerate(candidates):
            changed = {tool: text for tool, text in descriptions.items() if text != self.descriptions.get(tool)}
            request = {"id": f"c{number}", "descriptions": changed}
            if queries:
                request["queries"] = list(queries)
            lines.append(json.dumps(request) + "\n")
        with self.lock:
            # A thread writes, because the server stops reading while nobody reads its answers.
            writer = threading.Thread(target=self._send, args=[lines])
            writer.start()
            answers = [self.server.stdout.readline() for _ in lines]
            writer.join()
        if not all(answers):
            raise RuntimeError("touchstone fitness serve ended; its message is above")
        return [json.loads(answer) for answer in answers]

    def _send(self, lines):
        try:
            self.server.stdin.writelines(lines)
            self.server.stdin.flush()
        except BrokenPipeError:
            pass  # the missing answer is reported

    def save(self, descriptions, file, name):
        """Write the changed descriptions as a candidate, and print its figures on all parts."""
        changed = {tool: text for tool, text in descriptions.items() if text != self.descriptions.get(tool)}
        with open(file, "w", encoding="utf-8") as out:
            json.dump({"id": name, "descriptions": changed}, out, ensure_ascii=False, indent=1, sort_keys=True)
        print(f"{len(changed)} descriptions changed, written to {file}", flush=True)
        subprocess.run([*self.command, *self.options, file], check=True)

    def close(self):
        self.server.stdin.close()
        self.server.stdout.close()
        self.server.wait()


def refusal(answer):
    """Say why a candidate is worth nothing, or return an empty text."""
    if answer.get("error"):
        return answer["error"]
    if answer["feasible"]:
        return ""
    return "The scanner refuses the descriptions: " + "; ".join(
        f"{finding['tool_id']}: {', '.join(finding['signals'])}: {finding['evidence']}" for finding in answer["findings"])


def feedback(answer):
    """Return a text for each query of an answer, by id.

    Only queries of the train part have a text that says why.
    """
    texts = {score["query_id"]: f"The right tool ranks {score['rank']}." if score["rank"]
             else "The right tool is not among the first ten." for score in answer.get("scores", [])}
    texts.update((miss["query_id"], miss["text"]) for miss in answer.get("feedback", []))
    return texts
