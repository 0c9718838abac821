package quality

import (
	"bytes"
	"encoding/json"

	"github.com/touchstone-eval/touchstone/contracts"
)

// checkRoundTrip reports a file that is not what this program would write for its
// content: such a file changes when a program reads and writes it. Escapes within
// texts may differ, because a dataset of attacks shows hidden characters by them.
func checkRoundTrip[T any](r *Report, name string, data []byte, value T) {
	written, err := contracts.Encode(name, value)
	if err != nil {
		r.find("round-trip", "", "the content cannot be written: %v", err)
		return
	}

	plain := withoutEscapes(data)
	if bytes.Equal(plain, written) {
		return
	}

	line := 1
	for i := 0; i < len(plain) && i < len(written) && plain[i] == written[i]; i++ {
		if plain[i] == '\n' {
			line++
		}
	}

	a, errA := contracts.CanonicalJSON(data)
	b, errB := contracts.CanonicalJSON(written)
	if errA != nil || errB != nil || !bytes.Equal(a, b) {
		r.find("round-trip", "", "reading and writing the file changes its content, first in line %d", line)
		return
	}

	r.find("round-trip", "", "the file is not laid out as this program writes it, first in line %d", line)
}

// withoutEscapes rewrites the string literals of a JSON text in their shortest
// form.
func withoutEscapes(data []byte) []byte {
	var out bytes.Buffer
	for i := 0; i < len(data); {
		if data[i] != '"' {
			out.WriteByte(data[i])
			i++
			continue
		}

		end := i + 1
		for end < len(data) && data[end] != '"' {
			if data[end] == '\\' {
				end++
			}

			end++
		}

		end = min(end+1, len(data))
		var text string
		if json.Unmarshal(data[i:end], &text) != nil {
			out.Write(data[i:end])
		} else {
			enc := json.NewEncoder(&out)
			enc.SetEscapeHTML(false)
			if enc.Encode(text) != nil {
				return data
			}

			out.Truncate(out.Len() - 1) // the line feed
		}

		i = end
	}

	return out.Bytes()
}
