package contracts

import (
	"encoding/json"
	"testing"

	"github.com/touchstone-eval/touchstone/metrics"
)

// TestEveryRateHasItsFields checks that each declared rate, and its interval,
// has a field of its own under the declared name.
func TestEveryRateHasItsFields(t *testing.T) {
	for _, r := range metrics.DetectionRates() {
		var d DetectorSummary
		value := 0.25
		d.Score.SetRate(r.Name, &value)
		d.SetRateInterval(r.Name, &Interval{Low: 0.125})
		data, err := json.Marshal(d)
		if err != nil {
			t.Fatal(err)
		}
		var fields map[string]json.RawMessage
		if err := json.Unmarshal(data, &fields); err != nil {
			t.Fatal(err)
		}
		var score map[string]json.RawMessage
		if err := json.Unmarshal(fields["score"], &score); err != nil {
			t.Fatal(err)
		}
		if string(score[r.Name]) != "0.25" || d.Score.Rate(r.Name) != &value {
			t.Errorf("DetectorScore has no field %s: %s", r.Name, fields["score"])
		}
		if _, ok := fields[r.Name+"_interval"]; ok != r.Interval || (d.RateInterval(r.Name) != nil) != r.Interval {
			t.Errorf("DetectorSummary has the field %s_interval: %v, declared %v", r.Name, ok, r.Interval)
		}
	}
	if s := (DetectorScore{}); s.Rate("luck") != nil {
		t.Error("the undeclared rate luck was found")
	}
}
