package convert

import (
	"fmt"
	"io"
	"strings"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/metrics"
	"github.com/touchstone-eval/touchstone/metrics/trec"
)

// WriteQrels writes the labels of a golden set as a qrels file.
func WriteQrels(w io.Writer, golden contracts.GoldenSet) error {
	qrels := make(trec.Qrels, len(golden.Queries))
	for _, q := range golden.Queries {
		if _, twice := qrels[q.ID]; twice {
			return fmt.Errorf("query %s stands twice in the golden set; run validate-datasets on it", q.ID)
		}
		judged := make([]trec.Judgement, len(q.Labels))
		for i, l := range q.Labels {
			judged[i] = trec.Judgement{Document: escape(l.ToolID), Relevance: l.Relevance}
		}
		qrels[q.ID] = judged
	}
	return trec.WriteQrels(w, qrels)
}

// WriteRun writes the ranked lists of a retrieval report as a run file.
// trec_eval gives it the very figures of the report: it orders by score alone,
// so where the proxy's scores do not say the order in which the proxy
// answered, others that do are written instead.
//
// A query without an answer has no line. trec_eval leaves such a query out
// unless it is run with -c, which the report's own means correspond to.
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

// scored turns a ranked list into one of TREC. trec_eval refuses a document
// that stands twice in a topic; a repeated tool, which is worth nothing, is
// written under a name that no label has, so that it keeps its place.
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

// graphic makes a run's tag out of a proxy's name.
func graphic(r rune) rune {
	if strings.ContainsRune(blanks, r) {
		return '-'
	}
	return r
}
