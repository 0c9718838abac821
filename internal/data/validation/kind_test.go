package validation

import (
	"encoding/json"
	"testing"
)

func FuzzVersionOf(f *testing.F) {
	f.Add([]byte(`{"version": "v1", "queries": []}`))
	f.Add([]byte(`{"queries": [{"version": "v2"}], "version" :"v\u0031"}`))
	f.Add([]byte(`{"version": 1}`))
	f.Add([]byte(`[`))
	f.Fuzz(func(t *testing.T, data []byte) {
		version, start, end, ok := VersionOf(data)
		if !ok {
			return
		}
		var read string
		if err := json.Unmarshal(data[start:end], &read); err != nil || read != version {
			t.Errorf("%q at %d to %d of %q is not %q: %v", data[start:end], start, end, data, version, err)
		}
	})
}
