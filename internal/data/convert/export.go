package convert

import (
	"fmt"
	"io"
	"strings"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/metrics"
	"github.com/touchstone-eval/touchstone/metrics/trec"
)

// WriteQrels writes the labels of a golden set as a qrels file. It leaves out
// queries without a right tool: trec_eval would count each as a failure.
func WriteQrels(w io.Writer, golden contracts.GoldenSet) error {
	qrels := make(trec.Qrels, len(golden.Queries))
	for _, q := range golden.Queries {
		if _, twice := qrels[q.ID]; twice {
			return fmt.Errorf("query %s occurs twice in the golden set; run validate-datasets on it", q.ID)
		}

		if !q.Answerable() {
			continue
		}

		judged := make([]trec.Judgement, len(q.Labels))
		for i, l := range q.Labels {
			judged[i] = trec.Judgement{Document: escape(l.ToolID), Relevance: l.Relevance}
		}

		qrels[q.ID] = judged
	}

	return trec.WriteQrels(w, qrels)
}

// WriteRun writes the ranked lists of a retrieval report as a run file. From it,
// trec_eval computes exactly the figures of the report. trec_eval orders by score
// alone, so if the scores of the proxy do not give the order of its answers,
// WriteRun writes scores that do.
//
// A query without an answer has no line. trec_eval leaves such a query out of
// its means unless it is run with -c; the means of the report correspond to -c.
func WriteRun(w io.Writer, report contracts.RetrievalReport) error {
	run, err := trec.NewRunWriter(w, strings.Map(graphic, report.Proxy))
	if err != nil {
		return err
	}

	for _, q := range report.PerQuery {
		if q.Error != "" {
			continue
		}

		if err := run.Topic(q.ID, scored(q.Ranked)); err != nil {
			return fmt.Errorf("query %s: %w", q.ID, err)
		}
	}

	return run.Flush()
}

// scored converts a ranked list to one of TREC. trec_eval refuses a document
// that occurs twice in a topic. A repeated tool earns nothing, so it is written
// under a name that no label has, and keeps its rank.
func scored(ranked []contracts.RankedTool) []metrics.Scored {
	list := make([]metrics.Scored, len(ranked))
	seen := make(map[contracts.ToolID]bool, len(ranked))
	for i, r := range ranked {
		id := escape(r.ToolID)
		if seen[r.ToolID] {
			id = fmt.Sprintf("repeated-at-%d", i+1)
		}
		seen[r.ToolID] = true
		list[i] = metrics.Scored{ID: id, Score: r.Score}
	}
	return list
}

// graphic maps the characters of a proxy's name to those of a run tag.
func graphic(r rune) rune {
	if strings.ContainsRune(blanks, r) {
		return '-'
	}
	return r
}
