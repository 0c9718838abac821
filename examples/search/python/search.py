"""A search for Touchstone: tools that share rare words with the query come first."""
import json
import math
import re
import sys

documents, weight = {}, {}


def words(text):
    return set(re.findall(r"[^\W_]+", text.lower()))


for line in sys.stdin:
    request = json.loads(line)
    reply = {"protocol": 1, "id": request["id"]}
    if request["op"] == "index":
        documents = {t["id"]: words(t["name"] + " " + t["description"]) for t in request["tools"]}
        for word in set().union(*documents.values()):
            weight[word] = math.log(len(documents) / sum(word in d for d in documents.values()))
    else:
        query = words(request["query"])
        score = {i: sum(weight[w] for w in query & d) / math.sqrt(len(d)) for i, d in documents.items()}
        best = sorted(score, key=lambda i: (-score[i], i))[: request["limit"]]
        reply["tools"] = [{"id": i, "score": score[i]} for i in best if score[i] > 0]
    print(json.dumps(reply), flush=True)
