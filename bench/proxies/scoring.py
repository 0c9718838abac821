"""The figures of independent.py and independent_http.py, without Touchstone's evaluation."""
import json


def score(name, golden, search):
    """Prints Recall@5 and MRR of search, which returns the ids of the tools for a query, best first."""
    recall = reciprocal = count = 0
    for query in json.load(open(golden))["queries"]:
        right = {label["tool_id"] for label in query["labels"] if label["relevance"] >= 1}
        if right:
            found = search(query["query"])[:10]
            count += 1
            recall += len(right & set(found[:5])) / len(right)
            reciprocal += next((1 / (i + 1) for i, tool in enumerate(found) if tool in right), 0)
    print(f"{name}: {count} queries, Recall@5 {recall / count:.4f}, MRR {reciprocal / count:.4f}")
