package score

import (
	"encoding/json"
	"math"
	"regexp"
	"slices"
	"strings"
	"time"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"github.com/touchstone-eval/touchstone/internal/selection"
)

// Verdicts are what a judge model says of the values that described rules are for.
type Verdicts []selection.Verdict

func (v Verdicts) of(rule string, value json.RawMessage) (selection.Verdict, bool) {
	i := slices.IndexFunc(v, func(x selection.Verdict) bool {
		return x.Rule == rule &&
			string(x.Value) == string(value)
	})
	if i < 0 {
		return selection.Verdict{}, false
	}
	return v[i], true
}

// rulesOf are the rules for the arguments of a call, by their names.
func rulesOf(want selection.Call) (map[string]selection.Matcher, error) {
	values, err := object(want.Parameters)
	if err != nil {
		return nil, err
	}

	rules := map[string]selection.Matcher{}
	for name, v := range values {
		rules[name] = selection.Matcher{Equal: encode(v)}
	}

	for name, m := range want.Match {
		rules[name] = m
	}

	return rules, nil
}

// satisfied is how much of a rule a value meets, 0 to 1. The rules absent, any and
// rule are not judged here, because they need more than the value.
//
//   - equal: similarity. one_of: the best similarity.
//   - contains: a text that contains the part, in any case of its letters and
//     with runs of blanks as one; or a list with such a text.
//   - regex: a text or a number that the expression matches a part of.
//   - number: a number within the tolerance; or a text of one, if the schema says
//     that the argument is a text.
//   - date: the same day, or the day of a time as written; the same instant if the
//     rule has a time.
//   - set: the elements in any order.
func satisfied(m selection.Matcher, value any, s node) float64 {
	switch m.Kind() {
	case "equal":
		return best([]json.RawMessage{m.Equal}, value, s)
	case "one_of":
		return best(m.OneOf, value, s)
	case "contains":
		return truth(contains(value, m.Contains))
	case "regex":
		return truth(matches(value, m.Regex))
	case "number":
		return truth(near(value, *m.Number, m.Tolerance, s))
	case "date":
		text, ok := value.(string)
		return truth(ok && onDate(text, m.Date))
	case "set":
		want, err := decode(m.Set)
		list, ok := want.([]any)
		got, isList := value.([]any)
		if err != nil || !ok || !isList {
			return 0
		}

		return setSimilarity(list, got, s.items())
	}

	return 0
}

func best(right []json.RawMessage, value any, s node) float64 {
	most := 0.0
	for _, raw := range right {
		if want, err := decode(raw); err == nil {
			most = max(most, similarity(want, value, s))
		}
	}
	return most
}

func foldedText(text string) string {
	return cases.Fold().String(norm.NFC.String(strings.Join(strings.Fields(text), " ")))
}

func contains(value any, part string) bool {
	switch v := value.(type) {
	case string:
		return strings.Contains(foldedText(v), foldedText(part))
	case []any:
		return slices.ContainsFunc(v, func(e any) bool { return contains(e, part) })
	}
	return false
}

func matches(value any, expression string) bool {
	re, err := regexp.Compile(expression)
	if err != nil {
		return false
	}
	switch v := value.(type) {
	case string:
		return re.MatchString(v)
	case json.Number:
		return re.MatchString(v.String())
	}
	return false
}

// rounding is the relative error of decimal fractions in binary.
const rounding = 1e-12

func near(value any, want, tolerance float64, s node) bool {
	text, ok := value.(string)
	number := json.Number(strings.TrimSpace(text))
	if ok && !s.is("string") {
		return false
	}
	if n, isNumber := value.(json.Number); isNumber {
		number, ok = n, true
	}
	got, err := number.Float64()
	return ok && err == nil && math.Abs(got-want) <= tolerance+rounding*math.Max(math.Abs(want), math.Abs(got))
}

func onDate(text, want string) bool {
	if sameTime(want, text) {
		return true
	}
	day, ok := selection.ParseDay(want)
	if !ok {
		return false
	}
	for _, parse := range []func(string) (time.Time, bool){selection.ParseInstant, selection.ParseLocal} {
		if got, ok := parse(text); ok {
			return got.Format(time.DateOnly) == day.Format(time.DateOnly)
		}
	}
	return false
}
