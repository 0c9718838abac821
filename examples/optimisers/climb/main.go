// Command climb is examples/optimisers/climb.py in Go: a hill climber over tool descriptions.
// It only uses the standard library and the program touchstone, so that it can be copied
// into any module. Each round it scores its candidates on a minibatch of the train part, and
// then the best of them on the whole part.
//
//	go run ./examples/optimisers/climb -touchstone ./touchstone
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
)

// parts is what "touchstone fitness parts --json" prints.
type parts struct {
	Queries      []struct{ ID, Part, Query string }
	Descriptions map[string]string
}

// candidate is a line for "touchstone fitness serve", and answer a line from it.
type candidate struct {
	ID           string            `json:"id"`
	Descriptions map[string]string `json:"descriptions"`
	Queries      []string          `json:"queries,omitempty"`
}

type answer struct {
	Error, Metric string
	Fitness       float64
	Feasible      bool
	Feedback      []feedback
}

type feedback struct {
	Query    string
	Expected []struct {
		ToolID string `json:"tool_id"`
		Rank   int
	}
}

func main() {
	program := flag.String("touchstone", "touchstone", "the program")
	seed := flag.Uint64("seed", 1, "seed of the random choices")
	rounds := flag.Int("rounds", 25, "number of rounds")
	width := flag.Int("width", 8, "number of candidates per round")
	batch := flag.Int("batch", 40, "number of queries per minibatch")
	out := flag.String("out", "climbed.json", "the candidate to write")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "climb [OPTIONS] [-- OPTIONS OF touchstone fitness]")
		flag.PrintDefaults()
	}
	flag.Parse()
	log.SetFlags(0)
	c := &climber{program: *program, options: flag.Args(), rng: rand.New(rand.NewPCG(*seed, 0))}
	if err := c.run(*rounds, *width, *batch, *out); err != nil {
		log.Fatal(err)
	}
}

type climber struct {
	program string
	options []string
	parts   parts
	rng     *rand.Rand
	in      io.WriteCloser
	out     *bufio.Reader
}

func (c *climber) command(args ...string) *exec.Cmd {
	cmd := exec.Command(c.program, slices.Concat([]string{"fitness"}, args, c.options)...)
	cmd.Stderr = os.Stderr
	return cmd
}

func (c *climber) run(rounds, width, batch int, out string) error {
	listed, err := c.command("parts", "--json").Output()
	if err != nil {
		return fmt.Errorf("touchstone fitness parts: %w", err)
	}

	if err := json.Unmarshal(listed, &c.parts); err != nil {
		return err
	}

	server := c.command("serve")
	if c.in, err = server.StdinPipe(); err != nil {
		return err
	}

	answers, err := server.StdoutPipe()
	if err != nil {
		return err
	}

	c.out = bufio.NewReader(answers)
	if err := server.Start(); err != nil {
		return err
	}

	changed, best, err := c.climb(rounds, width, batch)
	if err := errors.Join(err, c.in.Close(), server.Wait()); err != nil {
		return err
	}

	text, err := json.Marshal(candidate{ID: "climbed", Descriptions: changed})
	if err != nil {
		return err
	}

	if err := os.WriteFile(out, text, 0o666); err != nil {
		return err
	}

	fmt.Printf("%d descriptions changed, written to %s; train %s %.4f\n", len(changed), out, best.Metric, best.Fitness)
	final := c.command(out)
	final.Stdout = os.Stdout
	return final.Run()
}

// climb returns the descriptions that it changed, and their answer.
func (c *climber) climb(rounds, width, batch int) (map[string]string, answer, error) {
	changed := map[string]string{}
	all, err := c.score(nil, changed)
	if err != nil {
		return nil, answer{}, err
	}

	best := all[0]
	for range rounds {
		misses := slices.DeleteFunc(slices.Clone(best.Feedback), func(f feedback) bool {
			return 1 <= f.Expected[0].Rank && f.Expected[0].Rank <= 5
		})
		if len(misses) == 0 {
			break
		}

		candidates := []map[string]string{changed} // the first is what the others must beat
		for range width {
			candidates = append(candidates, c.mutate(changed, misses[c.rng.IntN(len(misses))]))
		}

		answers, err := c.score(c.minibatch(batch), candidates...)
		if err != nil {
			return nil, answer{}, err
		}

		first := 0
		for i, a := range answers {
			if a.Feasible && a.Fitness > answers[first].Fitness {
				first = i
			}
		}

		if first == 0 {
			continue
		}

		if all, err = c.score(nil, candidates[first]); err != nil {
			return nil, answer{}, err
		}

		if all[0].Fitness > best.Fitness {
			best, changed = all[0], candidates[first]
		}
	}

	return changed, best, nil
}

// minibatch returns the ids of some queries of the train part.
func (c *climber) minibatch(n int) []string {
	var ids []string
	for _, q := range c.parts.Queries {
		if q.Part == "train" {
			ids = append(ids, q.ID)
		}
	}
	c.rng.Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
	return ids[:min(n, len(ids))]
}

// score sends candidates and reads their answers. Touchstone scores them in parallel.
func (c *climber) score(queries []string, candidates ...map[string]string) ([]answer, error) {
	go func() { // the server stops reading while nobody reads its answers
		to := json.NewEncoder(c.in)
		for _, descriptions := range candidates {
			if to.Encode(candidate{ID: "c", Descriptions: descriptions, Queries: queries}) != nil {
				return // the missing answer is an error
			}
		}
	}()
	answers := make([]answer, len(candidates))
	for i := range answers {
		line, err := c.out.ReadBytes('\n')
		if err != nil {
			return nil, fmt.Errorf("touchstone fitness serve: %w", err)
		}

		if err := json.Unmarshal(line, &answers[i]); err != nil {
			return nil, err
		}

		if answers[i].Error != "" {
			return nil, errors.New(answers[i].Error)
		}
	}

	return answers, nil
}

var word = regexp.MustCompile(`\pL[\pL\pN]{3,}`)

// mutate adds words of a missed query to the description of its tool.
func (c *climber) mutate(changed map[string]string, miss feedback) map[string]string {
	tool := miss.Expected[0].ToolID
	text, ok := changed[tool]
	if !ok {
		text = c.parts.Descriptions[tool]
	}

	known := word.FindAllString(strings.ToLower(text), -1)
	words := slices.DeleteFunc(word.FindAllString(strings.ToLower(miss.Query), -1),
		func(w string) bool { return slices.Contains(known, w) })
	c.rng.Shuffle(len(words), func(i, j int) { words[i], words[j] = words[j], words[i] })
	words = words[:min(len(words), 1+c.rng.IntN(3))]
	next := maps.Clone(changed)
	if len(words) > 0 {
		next[tool] = strings.TrimSpace(text) + " Also for: " + strings.Join(words, ", ") + "."
	}

	return next
}
