package contracts

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/internal/base/lazyregexp"
	"github.com/touchstone-eval/touchstone/metrics"
)

// MetricNames lists the names of the ranking metrics, as summaries, thresholds
// and checks use them, in the order of reports. They come from the table in
// package metrics.
var MetricNames = rankingNames()

func rankingNames() []string {
	var names []string
	for _, m := range metrics.Ranking() {
		names = append(names, m.Name)
	}
	return names
}

// RetrievalMetrics holds ranking metrics by name, each in 0..1. A file written
// by another version of the program may lack some of MetricNames or have more.
//
// In JSON each metric is a field of its name, except that recall at a cut-off,
// such as recall_at_5, is the field "5" of the object "recall_at".
type RetrievalMetrics map[string]float64

// recallAt is the field that holds recall by cut-off.
const recallAt = "recall_at"

var (
	metricName = lazyregexp.New(`^[a-z][a-z0-9_]{0,63}$`)
	cutoff     = lazyregexp.New(`^[1-9][0-9]{0,3}$`)
)

func checkMetricName(name string) error {
	if !metricName().MatchString(name) {
		return fmt.Errorf("%q is not the name of a metric: a name has lower-case letters, digits and underscores",
			clip(name))
	}
	return nil
}

// MarshalJSON writes the metrics in the order of MetricNames, then all others
// sorted by name, so that equal metrics have equal bytes.
func (m RetrievalMetrics) MarshalJSON() ([]byte, error) {
	order := slices.Clone(MetricNames)
	for _, name := range slices.Sorted(maps.Keys(m)) {
		if !slices.Contains(MetricNames, name) {
			order = append(order, name)
		}
	}

	var fields []string
	values := make(map[string]any)
	for _, name := range order {
		value, ok := m[name]
		if !ok {
			continue
		}

		if err := checkMetricName(name); err != nil {
			return nil, err
		}

		field := name
		if k, isRecall := strings.CutPrefix(name, recallAt+"_"); isRecall && cutoff().MatchString(k) {
			field = recallAt
			if values[field] == nil {
				values[field] = make(map[string]float64)
			}

			values[field].(map[string]float64)[k] = value
		} else {
			values[field] = value
		}

		if !slices.Contains(fields, field) {
			fields = append(fields, field)
		}
	}

	var b bytes.Buffer
	b.WriteByte('{')
	for i, field := range fields {
		if i > 0 {
			b.WriteByte(',')
		}

		name, err := json.Marshal(field)
		if err != nil {
			return nil, err
		}

		value, err := json.Marshal(values[field])
		if err != nil {
			return nil, err
		}

		fmt.Fprintf(&b, "%s:%s", name, value)
	}

	b.WriteByte('}')
	return b.Bytes(), nil
}

// UnmarshalJSON reads what MarshalJSON writes.
func (m *RetrievalMetrics) UnmarshalJSON(data []byte) error {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(data, &fields); err != nil {
		return err
	}

	read := make(RetrievalMetrics, len(fields))
	if raw, ok := fields[recallAt]; ok {
		var byCutoff map[string]float64
		if err := json.Unmarshal(raw, &byCutoff); err != nil {
			return err
		}

		for k, value := range byCutoff {
			name := recallAt + "_" + k
			if err := checkMetricName(name); err != nil {
				return err
			}

			read[name] = value
		}

		delete(fields, recallAt)
	}

	for name, raw := range fields {
		if err := checkMetricName(name); err != nil {
			return err
		}

		if _, twice := read[name]; twice {
			return fmt.Errorf("the metric %s is given both under %s and under its name", name, recallAt)
		}

		var value float64
		if err := json.Unmarshal(raw, &value); err != nil {
			return err
		}

		read[name] = value
	}

	*m = read
	return nil
}
