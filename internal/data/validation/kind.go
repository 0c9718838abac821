package validation

import (
	"bytes"
	"encoding/json"

	"github.com/touchstone-eval/touchstone/contracts"
)

// kinds are the kinds of datasets by the list that they hold.
var kinds = map[string]string{"tools": contracts.KindCorpus, "queries": contracts.KindGolden,
	"entries": contracts.KindSecurity, "cases": contracts.KindCases}

// kindOf is KindOf for data that need not be JSON as a whole: it reads
// no further than to that list.
func kindOf(data []byte) string {
	dec := json.NewDecoder(bytes.NewReader(data))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return ""
	}

	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return ""
		}

		if name, ok := key.(string); ok && kinds[name] != "" {
			return kinds[name]
		}

		var skipped json.RawMessage
		if dec.Decode(&skipped) != nil {
			return ""
		}
	}

	return ""
}

// KindOf returns the kind of a dataset, derived from the list that it holds, or
// "" if data is not JSON or no dataset.
func KindOf(data []byte) string {
	if !json.Valid(data) {
		return ""
	}
	return kindOf(data)
}

// VersionOf finds the version of a dataset and the place of its JSON value.
func VersionOf(data []byte) (version string, start, end int, ok bool) {
	dec := json.NewDecoder(bytes.NewReader(data))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return "", 0, 0, false
	}

	for dec.More() {
		key, err := dec.Token()
		var raw json.RawMessage
		if err != nil || dec.Decode(&raw) != nil {
			return "", 0, 0, false
		}

		if key == "version" {
			end = int(dec.InputOffset())
			ok = json.Unmarshal(raw, &version) == nil && version != ""
			return version, end - len(raw), end, ok
		}
	}

	return "", 0, 0, false
}
