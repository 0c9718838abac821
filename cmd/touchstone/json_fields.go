package main

import (
	"encoding/json"
	"fmt"

	"github.com/tidwall/gjson"

	"github.com/touchstone-eval/touchstone/contracts"
)

// jsonFields decodes the fields of a JSON object at some paths, such as "retrieval.metrics", and
// skips the rest. It leaves the value of a missing field as it is. text must be valid JSON.
//
// An aggregate has an entry for each query and each text of the security corpus. Decoding them
// took most of the time of a gate that had nothing to do.
func jsonFields(text []byte, fields map[string]any) error {
	for path, into := range fields {
		field := gjson.GetBytes(text, path)
		if !field.Exists() {
			continue
		}

		if err := json.Unmarshal([]byte(field.Raw), into); err != nil {
			return fmt.Errorf("the field %s: %w", path, err)
		}
	}

	return nil
}

// detectorFigures decodes the rates of the detectors in an aggregate, without their verdicts on
// single entries.
func detectorFigures(aggregate []byte) (detectors []contracts.DetectorSummary, err error) {
	gjson.GetBytes(aggregate, "detectors").ForEach(func(_, detector gjson.Result) bool {
		var d contracts.DetectorSummary
		err = jsonFields([]byte(detector.Raw), map[string]any{
			"score":                      &d.Score,
			"recall_interval":            &d.RecallInterval,
			"precision_interval":         &d.PrecisionInterval,
			"fpr_interval":               &d.FPRInterval,
			"fpr_hard_negative_interval": &d.FPRHardNegativeInterval,
			"fpr_benign_interval":        &d.FPRBenignInterval,
		})
		detectors = append(detectors, d)
		return err == nil
	})
	return detectors, err
}
