package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/touchstone-eval/touchstone/scanner"
	"github.com/touchstone-eval/touchstone/scanner/internal/decode"
)

// printAblation prints for each decoder and check what changes without it:
// attacks found and stopped, innocent tools flagged and stopped.
func printAblation(w io.Writer, p panel) error {
	base, _, err := judgePanel(p)
	if err != nil {
		return err
	}

	groups := groupsOf(p)
	fmt.Fprintf(w, "\nchange without it: attacks found/stopped, innocents flagged/stopped\n%-34s", "")
	for _, g := range groups {
		fmt.Fprintf(w, " %-23s", g.name)
	}

	fmt.Fprintln(w)
	without := func(name string, opt scanner.Option) error {
		counts, _, err := judgePanel(p, opt)
		if err != nil {
			return err
		}

		fmt.Fprintf(w, "%-34.34s", name)
		for _, g := range groups {
			var c count
			for _, i := range g.sets {
				c.add(counts[i], +1)
				c.add(base[i], -1)
			}

			fmt.Fprintf(w, " %-23s", fmt.Sprintf("%+d/%+d %+d/%+d", c.found, c.stopped, c.flagged, c.wronglyStopped))
		}

		fmt.Fprintln(w)
		return nil
	}
	for _, name := range decode.Families() {
		if err := without("decoder "+name, scanner.WithoutDecoder(name)); err != nil {
			return err
		}
	}

	for _, c := range scanner.Checks() {
		if err := without("check "+c.ID, scanner.WithoutChecks(c.ID)); err != nil {
			return err
		}
	}

	return nil
}

// group is some sets whose figures are added up.
type group struct {
	name string
	sets []int
}

// groupsOf adds up the sets of one kind, whose names begin with the same word.
func groupsOf(p panel) []group {
	var groups []group
	for i := range p {
		name, _, _ := strings.Cut(p[i].name, ",")
		if strings.HasSuffix(name, "heldout") {
			name = "heldout"
		}

		if n := len(groups); n == 0 || groups[n-1].name != name {
			groups = append(groups, group{name: name})
		}

		g := &groups[len(groups)-1]
		g.sets = append(g.sets, i)
	}

	return groups
}
