package scoreretrieval

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/touchstone-eval/touchstone/contracts"
)

// mostNested is the number of levels of an answer in which its results are searched.
const mostNested = 4

// resultEnds returns where each result of an answer ends, in bytes. It returns nil if
// that cannot be told: the answer does not begin as JSON, or it has no list with one
// element for each result that names its tool. An answer may be cut off: some proxies
// shorten what is too long for a model.
func resultEnds(answer []byte, hits []contracts.SearchHit) []int {
	if len(hits) == 0 {
		return nil
	}
	return endsIn(answer, 0, hits, mostNested)
}

// endsIn is resultEnds for the JSON value that begins at an offset of the answer.
func endsIn(value []byte, offset int, hits []contracts.SearchHit, levels int) []int {
	elements, array, cut := children(value)
	// What is left of the last element of a cut list may lack its name, and be no result.
	if array && (len(elements) == len(hits) || cut && len(elements) == len(hits)+1) {
		ends := make([]int, 0, len(hits))
		for i, e := range elements[:len(hits)] {
			if !names(e.text, hits[i]) {
				break
			}

			ends = append(ends, offset+e.end)
		}

		if len(ends) == len(hits) {
			return ends
		}
	}

	if levels == 0 {
		return nil
	}

	for _, e := range elements {
		if ends := endsIn(e.text, offset+e.end-len(e.text), hits, levels-1); ends != nil {
			return ends
		}
	}

	return nil
}

// names reports whether an element has the name of a tool, without its server. A proxy
// may give server and name in one field or in two.
func names(element []byte, hit contracts.SearchHit) bool {
	_, name, found := strings.Cut(hit.Name, ":")
	if !found {
		name = hit.Name
	}
	return bytes.Contains(element, []byte(name))
}

// child is a value within an array or an object. end is its end in the text of that.
type child struct {
	text []byte
	end  int
}

// children returns the values of an array or an object, and none of anything else. If the
// text stops being JSON within a value, it is cut there, and the rest is the last child.
func children(value []byte) (list []child, array, cut bool) {
	dec := json.NewDecoder(bytes.NewReader(value))
	first, err := dec.Token()
	if err != nil || first != json.Delim('[') && first != json.Delim('{') {
		return nil, false, false
	}

	array = first == json.Delim('[')
	for dec.More() {
		if !array {
			if _, err := dec.Token(); err != nil {
				return list, array, true
			}
		}

		start := dec.InputOffset()
		var text json.RawMessage
		if err := dec.Decode(&text); err != nil {
			rest := bytes.TrimLeft(value[start:], ",: \t\r\n")
			return append(list, child{rest, len(value)}), array, true
		}

		list = append(list, child{text, int(dec.InputOffset())})
	}

	return list, array, false
}
