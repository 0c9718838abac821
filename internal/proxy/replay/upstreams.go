package replay

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/touchstone-eval/touchstone/contracts"
)

// Order returns the numbers 0..n-1 in an order determined by seed. what
// distinguishes several orders for one seed. The order is the same on every machine.
func Order(seed uint64, what string, n int) []int {
	h := uint64(14695981039346656037) // FNV-1a, 64 bit
	for i := range len(what) {
		h = (h ^ uint64(what[i])) * 1099511628211
	}
	return rand.New(rand.NewPCG(seed, h)).Perm(n)
}

// writeParts writes a corpus file for each part into dir and returns the command that
// replays each. executable is the touchstone binary.
//
// There is a file for each server, so that the start of a replay server does not
// depend on the size of the whole corpus.
func writeParts(dir, executable string, corpus contracts.Corpus, parts []part, pageSize int) ([][]string, error) {
	commands := make([][]string, len(parts))
	for i, p := range parts {
		part := contracts.Corpus{Version: corpus.Version, GeneratedFrom: corpus.GeneratedFrom, Tools: p.tools}
		b, err := json.Marshal(part)
		if err != nil {
			return nil, fmt.Errorf("write the tools of server %q for replay: %w", p.server, err)
		}

		// Use a number, because a server's name may not be a valid file name.
		file := filepath.Join(dir, strconv.Itoa(i)+".json")
		if err := os.WriteFile(file, b, 0o600); err != nil {
			return nil, fmt.Errorf("write the tools of server %q for replay: %w", p.server, err)
		}

		commands[i] = []string{executable, "replay", "--corpus", file, "--server", p.server, "--journal",
			journalOf(file)}
		if pageSize != DefaultPageSize {
			commands[i] = append(commands[i], "--page-size", strconv.Itoa(pageSize))
		}
	}

	return commands, nil
}

// part is a server with its tools.
type part struct {
	server string
	tools  []contracts.Tool
}

// split divides a corpus by server, in the order of seed.
func split(corpus contracts.Corpus, seed uint64) []part {
	byServer := map[string][]contracts.Tool{}
	for _, t := range corpus.Tools {
		byServer[t.Server] = append(byServer[t.Server], t)
	}

	servers := ServerNames(corpus)
	if seed != 0 {
		servers = permute(servers, Order(seed, "servers", len(servers)))
	}

	parts := make([]part, len(servers))
	for i, name := range servers {
		parts[i] = part{name, byServer[name]}
		if seed != 0 {
			parts[i].tools = permute(parts[i].tools, Order(seed, "tools of "+name, len(parts[i].tools)))
		}
	}

	return parts
}

// Shuffled returns the corpus with its tools in the order of seed: server by server, as
// a proxy that connects the servers in their order would list them.
func Shuffled(corpus contracts.Corpus, seed uint64) contracts.Corpus {
	out := corpus
	out.Tools = make([]contracts.Tool, 0, len(corpus.Tools))
	for _, p := range split(corpus, seed) {
		out.Tools = append(out.Tools, p.tools...)
	}
	return out
}

func permute[T any](items []T, order []int) []T {
	out := slices.Clone(items)
	for i, j := range order {
		out[i] = items[j]
	}
	return out
}
