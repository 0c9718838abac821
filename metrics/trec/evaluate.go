package trec

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"maps"
	"runtime"
	"slices"
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

// ErrNoTopics means that no topic is in both files.
var ErrNoTopics = errors.New("no topic is in both the qrels and the run; check that they belong together")

// Evaluate computes the figures of a run file on all processors. The lines of a
// topic need not be adjacent. A document that occurs twice in one topic is an
// error. Topics in only one of the files are left out, except that with
// Complete those missing from the run count 0. file names the run in errors,
// which are *LineError unless reading itself failed.
//
// If run is a file, it must not be truncated during the evaluation.
func Evaluate(qrels Qrels, file string, run io.Reader, opts Options) (*Evaluation, error) {
	return evaluate(qrels, file, run, opts, blockSize, runtime.GOMAXPROCS(0))
}

// blockSize is how much of a file a processor reads at a time.
const blockSize = 1 << 20

func evaluate(qrels Qrels, file string, run io.Reader, opts Options, size, workers int) (*Evaluation, error) {
	if len(opts.Measures) == 0 {
		opts.Measures = StandardMeasures()
	}
	t, err := readText(file, run)
	if err != nil {
		return nil, err
	}
	defer t.release()
	figures, err := scoreRun(t, scorer{qrels: qrels, level: opts.Level, measures: opts.Measures}, size, workers)
	if err != nil {
		return nil, err
	}
	e := &Evaluation{Names: printedNames(opts.Measures)}
	e.All = make([]float64, len(e.Names))
	for _, id := range slices.Sorted(maps.Keys(figures)) {
		if _, judged := qrels[id]; !judged {
			continue
		}
		e.Topics = append(e.Topics, TopicFigures{id, figures[id]})
		for i, v := range figures[id] {
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

// scorer computes the figures of one topic after the other.
type scorer struct {
	qrels      Qrels
	level      int
	measures   []Measure
	finder     finder
	relevances []int
}

// score computes the figures of a topic, or none if the topic is not judged. ok
// is false if a document occurs twice among its results.
func (s *scorer) score(topic string, results []entry) (figures []float64, ok bool) {
	judged := s.qrels[topic]
	if s.finder.find(results, judged) != nil {
		return nil, false
	}
	if len(judged) == 0 {
		return nil, true
	}
	s.relevances = s.relevances[:0]
	for _, j := range judged {
		s.relevances = append(s.relevances, j.Relevance)
	}
	return figuresOf(metrics.TopicOf(s.finder.ranks(judged), s.relevances, s.level), s.measures), true
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
