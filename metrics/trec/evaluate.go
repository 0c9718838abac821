package trec

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/touchstone-eval/touchstone/metrics"
)

// Options are the settings of an evaluation.
type Options struct {
	// Level is the lowest relevance that the binary measures count as relevant
	// (-l). trec_eval's default is 1.
	Level int
	// Complete averages over all topics of the qrels, and topics missing from
	// the run count 0 (-c). Otherwise the mean is over the topics that both
	// files have.
	Complete bool
	// Measures are in the order of ParseMeasures. If it is empty,
	// StandardMeasures are computed.
	Measures []Measure
}

// Evaluation is the result of Evaluate.
type Evaluation struct {
	// Names are the printed names of the figures, such as recall_5.
	Names []string
	// Topics are those in both files, in byte order.
	Topics []TopicFigures
	// All are the means.
	All []float64
}

// TopicFigures are the figures of one topic, in the order of Names.
type TopicFigures struct {
	ID      string
	Figures []float64
}

// ErrNoTopics means that no topic is in both files. It is an error with Complete too: trec_eval 9.0.8 fails in this
// case and version 10 prints 0, but a 0 would hide that the files do not belong together.
var ErrNoTopics = errors.New("no topic is in both the qrels and the run; check that they belong together")

// Evaluate computes the figures of a run file. The lines of a topic need not be
// adjacent. A document that occurs twice in one topic is an error. Topics in
// only one of the files are left out, except that with Complete those missing
// from the run count 0. file names the run in errors, which are *LineError
// unless reading itself failed.
func Evaluate(qrels Qrels, file string, run io.Reader, opts Options) (*Evaluation, error) {
	if len(opts.Measures) == 0 {
		opts.Measures = StandardMeasures()
	}

	ranked, err := ReadRun(file, run)
	if err != nil {
		return nil, err
	}

	e := &Evaluation{Names: printedNames(opts.Measures)}
	e.All = make([]float64, len(e.Names))
	for _, id := range qrels.Topics() {
		results, ok := ranked[id]
		if !ok {
			continue
		}

		figures := figuresOf(topicOf(results, qrels[id], opts.Level), opts.Measures)
		e.Topics = append(e.Topics, TopicFigures{id, figures})
		for i, v := range figures {
			e.All[i] += v
		}
	}

	if len(e.Topics) == 0 {
		return nil, ErrNoTopics
	}

	topics := len(e.Topics)
	if opts.Complete {
		topics = len(qrels)
	}

	for i := range e.All {
		e.All[i] /= float64(topics)
	}

	return e, nil
}

// topicOf compares the ranked results of a topic with its judgements.
func topicOf(ranked []metrics.Scored, judgements []Judgement, level int) metrics.Topic {
	judged := make(map[string]int, len(judgements))
	for _, j := range judgements {
		judged[j.Document] = j.Relevance
	}
	ids := make([]string, len(ranked))
	for i, r := range ranked {
		ids[i] = r.ID
	}
	return metrics.EvaluateTopic(ids, judged, level)
}

func printedNames(measures []Measure) []string {
	var names []string
	for _, m := range measures {
		if len(m.Cutoffs) == 0 {
			names = append(names, m.Name)
		}
		for _, k := range m.Cutoffs {
			names = append(names, m.Name+"_"+strconv.Itoa(k))
		}
	}
	return names
}

func figuresOf(topic metrics.Topic, measures []Measure) []float64 {
	var figures []float64
	for _, m := range measures {
		f, _ := familyOf(m.Name)
		if f.whole != nil {
			figures = append(figures, f.whole(topic))
		}
		for _, k := range m.Cutoffs {
			figures = append(figures, f.at(topic, k))
		}
	}
	return figures
}

// Print writes the figures in trec_eval's layout. With perTopic (-q) the
// figures of each topic come first. The means follow under the topic "all".
func (e *Evaluation) Print(w io.Writer, perTopic bool) error {
	out := bufio.NewWriter(w)
	print := func(topic string, figures []float64) {
		for i, v := range figures {
			fmt.Fprintf(out, "%-22s\t%s\t%6.4f\n", e.Names[i], topic, v)
		}
	}
	if perTopic {
		for _, t := range e.Topics {
			print(t.ID, t.Figures)
		}
	}

	print("all", e.All)
	return out.Flush()
}
