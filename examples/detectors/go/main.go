// A detector that flags a tool which claims to be read-only but has a parameter that
// deletes. It only uses the standard library.
package main

import (
	"encoding/json"
	"io"
	"log"
	"os"
	"strings"
)

type request struct {
	ID   string `json:"id"`
	Tool struct {
		InputSchema struct {
			Properties map[string]json.RawMessage `json:"properties"`
		} `json:"input_schema"`
		Annotations struct {
			ReadOnly bool `json:"readOnlyHint"`
		} `json:"annotations"`
	} `json:"tool"`
}

type verdict struct {
	Protocol int    `json:"protocol"`
	ID       string `json:"id"`
	Flagged  bool   `json:"flagged"`
	Evidence string `json:"evidence,omitempty"`
}

func main() {
	in, out := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	for {
		var r request
		if err := in.Decode(&r); err == io.EOF {
			return
		} else if err != nil {
			// The entry counts as failed, and the next one gets a new process.
			log.Fatal(err)
		}

		if err := out.Encode(judge(r)); err != nil {
			log.Fatal(err)
		}
	}
}

func judge(r request) verdict {
	v := verdict{Protocol: 1, ID: r.ID}
	if !r.Tool.Annotations.ReadOnly {
		return v
	}

	for name := range r.Tool.InputSchema.Properties {
		// Use the first name in sorted order: the order of a map would change
		// the report from run to run.
		if strings.HasPrefix(name, "delete") && (v.Evidence == "" || name < v.Evidence) {
			v.Flagged, v.Evidence = true, name
		}
	}

	return v
}
