//go:build !containers

package main

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize/english"

	"github.com/touchstone-eval/touchstone/internal/base/closest"
	"github.com/touchstone-eval/touchstone/internal/selection/score"
)

// requiredFigure is a figure that --require of eval run can bound: a share or a count.
type requiredFigure struct {
	name  string
	text  string
	after string                         // what follows the text of a count
	share func(score.Summary) score.Rate // nil for a count
	count func(score.Summary) int
}

var requiredFigures = []requiredFigure{
	{name: "accuracy", text: "accuracy", share: func(s score.Summary) score.Rate { return s.Accuracy }},
	{name: "parameter_accuracy", text: "parameter accuracy",
		share: func(s score.Summary) score.Rate { return s.ParameterAccuracy }},
	{name: "wrong_tool", text: "wrong-tool rate", share: func(s score.Summary) score.Rate { return s.WrongTool }},
	{name: "misleading", text: "share of confidently wrong answers",
		share: func(s score.Summary) score.Rate { return s.Misleading }},
	{name: "extra_calls", text: "call", after: " beside expected ones",
		count: func(s score.Summary) int { return s.ExtraCalls }},
	{name: forbiddenCalls, text: "forbidden call", count: func(s score.Summary) int { return s.ForbiddenCalls }},
}

// forbiddenCalls is the figure that is required to be 0 unless a requirement names it.
const forbiddenCalls = "forbidden_calls"

// requirement is a bound that the results of each model must meet.
type requirement struct {
	figure  requiredFigure
	atLeast bool
	bound   float64
}

// readRequirements reads the values of --require.
func readRequirements(texts []string) ([]requirement, error) {
	var all []requirement
	for _, text := range texts {
		r, err := readRequirement(text)
		if err != nil {
			return nil, fmt.Errorf("--require %q: %w", text, err)
		}

		all = append(all, r)
	}

	if !slices.ContainsFunc(all, func(r requirement) bool { return r.figure.name == forbiddenCalls }) {
		all = append(all, requirement{figure: requiredFigures[len(requiredFigures)-1]})
	}

	return all, nil
}

func readRequirement(text string) (r requirement, err error) {
	var names []string
	for _, f := range requiredFigures {
		names = append(names, f.name)
	}

	// Not a variable of the package: every start of the program would compile it.
	form := regexp.MustCompile(`^\s*([A-Za-z0-9_]+)\s*(>=|<=)\s*(\S+)\s*$`)
	parts := form.FindStringSubmatch(text)
	if parts == nil {
		return r, fmt.Errorf("write it as 'NAME >= NUMBER' or 'NAME <= NUMBER'; the names are %s",
			strings.Join(names, ", "))
	}

	i := slices.Index(names, parts[1])
	if i < 0 {
		return r, fmt.Errorf("there is no figure %q: %s", parts[1], closest.Remedy(parts[1], names))
	}

	r.figure, r.atLeast = requiredFigures[i], parts[2] == ">="
	r.bound, err = strconv.ParseFloat(parts[3], 64)
	switch {
	case r.figure.share != nil && (err != nil || !(r.bound >= 0 && r.bound <= 1)):
		return r, fmt.Errorf("%q is no share: give a number from 0 to 1", parts[3])
	case r.figure.count != nil:
		n, err := strconv.ParseUint(parts[3], 10, 32)
		if err != nil {
			return r, fmt.Errorf("%q is no number of calls: give a whole number, 0 or more", parts[3])
		}

		r.bound = float64(n)
	}

	return r, nil
}

// missed says how the results of a model miss the requirement, or returns "". A figure that the
// results do not have misses it.
func (r requirement) missed(g score.Group) string {
	if r.figure.count != nil {
		n := r.figure.count(g.Summary)
		text := fmt.Sprintf("%s: %s", g.Name, english.Plural(n, r.figure.text, "")+r.figure.after)
		switch {
		case r.atLeast && float64(n) < r.bound:
			return fmt.Sprintf("%s, fewer than %g", text, r.bound)
		case !r.atLeast && float64(n) > r.bound:
			return fmt.Sprintf("%s, more than %g", text, r.bound)
		}

		return ""
	}

	rate := r.figure.share(g.Summary)
	switch {
	case rate.Value == nil:
		return fmt.Sprintf("%s: the results have no %s", g.Name, r.figure.text)
	case r.atLeast && *rate.Value < r.bound:
		return fmt.Sprintf("%s: the %s is %.3f, below %.3f", g.Name, r.figure.text, *rate.Value, r.bound)
	case !r.atLeast && *rate.Value > r.bound:
		return fmt.Sprintf("%s: the %s is %.3f, above %.3f", g.Name, r.figure.text, *rate.Value, r.bound)
	}

	return ""
}
