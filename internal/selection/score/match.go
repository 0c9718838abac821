package score

import (
	"slices"

	"github.com/touchstone-eval/touchstone/internal/selection"
)

// Match pairs the expected calls of a case with made calls of the same tool of the
// same server, or of an alternative. As many required calls as possible are paired,
// then as many optional ones; among equal pairings, calls whose arguments are right
// are paired first. In an ordered case the partners come in the expected order.
// Each required call without a partner is FN, and each made call without one is FP:
// an extra call. An extra call is forbidden if the case lists its tool, or if the
// tool's annotations call it destructive.
//
// The whole run is classified as follows:
//
//   - TP: each required call has a partner, at least one expected call was made,
//     and no extra call is forbidden
//   - TN: no call is required, and none was made
//   - FP: no call is expected, and one was made; or all expected calls are optional,
//     and only others were made
//   - FN: everything else
//
// Extra calls that are not forbidden do not change the class of a run.
func Match(c selection.Case, tools []selection.Tool, made []selection.MadeCall) (selection.Classification,
	[]selection.JudgedCall) {
	p := pairing{c: c, tools: tools, made: made}
	pair := p.anyOrder
	if c.Ordered {
		pair = p.inOrder
	}

	partners := pair()

	var judged []selection.JudgedCall
	taken := make([]bool, len(made))
	missed, required, paired, forbidden := false, false, false, false
	for i, want := range c.Expected {
		required = required || !want.Optional
		if at := partners[i]; at >= 0 {
			taken[at], paired = true, true
			judged = append(judged, selection.JudgedCall{Expected: i, Alternative: choice(want, made[at]), Made: at,
				Classification: selection.TP})
			continue
		}

		if !want.Optional {
			missed = true
			judged = append(judged, selection.JudgedCall{Expected: i, Made: -1, Classification: selection.FN})
		}
	}

	for j, m := range made {
		if taken[j] {
			continue
		}

		by := p.forbids(m)
		forbidden = forbidden || by != ""
		judged = append(judged, selection.JudgedCall{Expected: -1, Made: j, Classification: selection.FP,
			Forbidden: by})
	}

	switch {
	case !required && len(made) == 0:
		return selection.TN, nil
	case paired && !missed && !forbidden:
		return selection.TP, judged
	case !required && !paired:
		return selection.FP, judged
	}

	return selection.FN, judged
}

// CountExtra counts the calls beside expected ones, and the forbidden calls.
func CountExtra(judged []selection.JudgedCall) (extra, forbidden int) {
	expected := slices.ContainsFunc(judged,
		func(j selection.JudgedCall) bool { return j.Classification == selection.TP })
	for _, j := range judged {
		if j.Classification == selection.FP && expected {
			extra++
		}
		if j.Forbidden != "" {
			forbidden++
		}
	}
	return extra, forbidden
}

type pairing struct {
	c     selection.Case
	tools []selection.Tool
	made  []selection.MadeCall
}

// choice is the alternative of an expected call that a made call is of, or -1.
func choice(want selection.Call, m selection.MadeCall) int {
	return slices.IndexFunc(want.Choices(), func(w selection.Call) bool {
		return m.Unknown == "" && m.Server == w.Server && m.Tool == w.Tool
	})
}

func (p pairing) forbids(m selection.MadeCall) selection.ForbiddenBy {
	if slices.Contains(p.c.Forbidden, selection.ToolName{Server: m.Server, Tool: m.Tool}) {
		return selection.ByCase
	}
	if t, ok := toolOf(p.tools, m.Server, m.Tool); ok && t.Destructive() {
		return selection.ByDestructive
	}
	return ""
}

func toolOf(tools []selection.Tool, server, name string) (selection.Tool, bool) {
	i := slices.IndexFunc(tools, func(t selection.Tool) bool { return t.Server == server && t.Name == name })
	if i < 0 {
		return selection.Tool{}, false
	}
	return tools[i], true
}

// exact reports whether a made call has the right arguments, as far as that is
// known without a judge.
func (p pairing) exact(i, j int) bool {
	want, m := p.c.Expected[i], p.made[j]
	at := choice(want, m)
	if at < 0 || m.Malformed != "" {
		return false
	}
	t, _ := toolOf(p.tools, m.Server, m.Tool)
	got, err := argumentsOf(want.Choices()[at], m.Parameters, t.InputSchema, p.c.Query, nil)
	return err == nil && got.Correctness == 1
}

// Values of pairs, so that one more required pair is worth more than all others.
const (
	optionalPair = 1
	exactPair    = 1
	requiredPair = 1 << 20
)

// inOrder maximises the value of an increasing pairing.
func (p pairing) inOrder() []int {
	n, m := len(p.c.Expected), len(p.made)
	most := make([][]int, n+1)
	value := make([][]int, n)
	most[n] = make([]int, m+1)
	for i := n - 1; i >= 0; i-- {
		most[i], value[i] = make([]int, m+1), make([]int, m)
		for j := m - 1; j >= 0; j-- {
			value[i][j] = p.value(i, j)
			most[i][j] = max(most[i+1][j], most[i][j+1])
			if value[i][j] > 0 {
				most[i][j] = max(most[i][j], value[i][j]+most[i+1][j+1])
			}
		}
	}

	partners := slices.Repeat([]int{-1}, n)
	for i, j := 0, 0; i < n && j < m; {
		switch {
		case value[i][j] > 0 && most[i][j] == value[i][j]+most[i+1][j+1]:
			partners[i] = j
			i, j = i+1, j+1
		case most[i][j] == most[i][j+1]:
			j++
		default:
			i++
		}
	}

	return partners
}

func (p pairing) value(i, j int) int {
	want := p.c.Expected[i]
	if choice(want, p.made[j]) < 0 {
		return 0
	}
	v := 2 * optionalPair
	if !want.Optional {
		v = requiredPair
	}
	if p.exact(i, j) {
		v += exactPair
	}
	return v
}

// anyOrder pairs exact calls first, and then extends the pairing along augmenting
// paths, required calls before optional ones, so that it is as large as possible.
func (p pairing) anyOrder() []int {
	partners, of := slices.Repeat([]int{-1}, len(p.c.Expected)), slices.Repeat([]int{-1}, len(p.made))
	var extend func(i int, seen []bool) bool
	extend = func(i int, seen []bool) bool {
		for _, free := range []bool{true, false} {
			for j := range p.made {
				if seen[j] || (of[j] < 0) != free || choice(p.c.Expected[i], p.made[j]) < 0 {
					continue
				}

				seen[j] = true
				if free || extend(of[j], seen) {
					partners[i], of[j] = j, i
					return true
				}
			}
		}

		return false
	}

	for _, optional := range []bool{false, true} {
		for i, want := range p.c.Expected {
			for j := 0; j < len(p.made) && partners[i] < 0 && want.Optional == optional; j++ {
				if of[j] < 0 && p.exact(i, j) {
					partners[i], of[j] = j, i
				}
			}
		}

		for i, want := range p.c.Expected {
			if partners[i] < 0 && want.Optional == optional {
				extend(i, make([]bool, len(p.made)))
			}
		}
	}

	return partners
}
