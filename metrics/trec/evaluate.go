package trec

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"iter"
	"strconv"

	"github.com/touchstone-eval/touchstone/metrics"
)

// Options says how to evaluate.
type Options struct {
	// Level is the lowest relevance that the binary measures count as
	// relevant (-l); trec_eval takes 1 unless told.
	Level int
	// Complete averages over all topics of the qrels, those missing from the
	// run counting 0, instead of over the topics that both files have (-c).
	Complete bool
	// Measures in the order of ParseMeasures; none stands for
	// StandardMeasures.
	Measures []Measure
}

// Evaluation is what Evaluate found.
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

// ErrNoTopics means that no topic is in both files.
var ErrNoTopics = errors.New("no topic is in both the qrels and the run; check that they belong together")

// Evaluate computes the figures of a run. Topics in only one of the files are
// left out, except that Complete counts those missing from the run.
func Evaluate(qrels Qrels, run *Run, opts Options) (*Evaluation, error) {
	measures := opts.Measures
	if len(measures) == 0 {
		measures = StandardMeasures()
	}
	e := &Evaluation{Names: printedNames(measures)}
	e.All = make([]float64, len(e.Names))
	for _, topic := range run.Topics() {
		if _, judged := qrels[topic]; judged {
			e.Topics = append(e.Topics, TopicFigures{ID: topic})
		}
	}
	share(len(e.Topics), func(numbers iter.Seq[int]) {
		judged := run.newMarks()
		for i := range numbers {
			t := &e.Topics[i]
			labels := qrels[t.ID]
			t.Figures = figuresOf(metrics.TopicOf(run.hits(t.ID, labels, judged), labels, opts.Level), measures)
		}
	})
	for _, t := range e.Topics {
		for i, v := range t.Figures {
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

// Print writes the figures in trec_eval's layout: those of each topic first
// when perTopic is set (-q), then the means under the topic "all".
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
