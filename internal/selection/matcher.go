package selection

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"
)

// Matcher says which values of one argument are right. Exactly one of its rules
// is set; Tolerance belongs to Number. How each is judged, and what counts as
// equal, is in package score.
type Matcher struct {
	// Equal is the right value, as in Call.Parameters.
	Equal json.RawMessage `json:"equal,omitempty" doc:"The right value"`
	// Any requires the argument, with any value.
	Any bool `json:"any,omitempty" doc:"The argument has to be given, with any value"`
	// Absent forbids the argument.
	Absent bool `json:"absent,omitempty" doc:"The argument must not be given"`
	// OneOf lists the right values.
	OneOf []json.RawMessage `json:"one_of,omitempty" doc:"The right values"`
	// Contains is a part of the right text, in any case of its letters.
	Contains string `json:"contains,omitempty" doc:"A part of the right text, in any case of its letters"`
	// Regex is an RE2 expression that matches a part of the right text.
	Regex string `json:"regex,omitempty" doc:"An RE2 expression that matches a part of the right text"`
	// Number is the right number, give or take Tolerance.
	Number    *float64 `json:"number,omitempty" doc:"The right number, give or take the tolerance"`
	Tolerance float64  `json:"tolerance,omitempty" minimum:"0" doc:"Only with number"`
	// Date is the right day, or the right instant if it has a time.
	Date string `json:"date,omitempty" doc:"The right day, such as 2026-03-01, or the right instant"`
	// Set is a list whose order does not count.
	Set json.RawMessage `json:"set,omitempty" doc:"A list whose order does not count"`
	// Rule describes the right value in words. Only a judge model can check it.
	Rule string `json:"rule,omitempty" maxLength:"2000" doc:"The right value in words, which only a judge model checks"`
}

const maxRule = 2000

// Kind is the name of the rule that is set.
func (m Matcher) Kind() string {
	if kinds := m.kinds(); len(kinds) == 1 {
		return kinds[0]
	}
	return ""
}

func (m Matcher) kinds() []string {
	var set []string
	for _, k := range []struct {
		name string
		set  bool
	}{
		{"equal", len(m.Equal) > 0}, {"any", m.Any}, {"absent", m.Absent}, {"one_of", len(m.OneOf) > 0},
		{"contains", m.Contains != ""}, {"regex", m.Regex != ""}, {"number", m.Number != nil}, {"date", m.Date != ""},
		{"set", len(m.Set) > 0}, {"rule", m.Rule != ""},
	} {
		if k.set {
			set = append(set, k.name)
		}
	}
	return set
}

// validate checks a matcher, and removes the white space of its values.
func (m *Matcher) validate() error {
	switch kinds := m.kinds(); {
	case len(kinds) == 0:
		return errors.New("it has no rule: give one of equal, any, absent, one_of, contains, regex, number, " +
			"date, set " +
			"and rule")
	case len(kinds) > 1:
		return fmt.Errorf("it has the rules %s: give one of them", strings.Join(kinds, " and "))
	case m.Tolerance != 0 && m.Number == nil:
		return errors.New("a tolerance belongs to a number: give number, or remove it")
	case m.Tolerance < 0:
		return errors.New("its tolerance is negative: write it without the sign")
	case m.Date != "" && !IsDate(m.Date):
		return fmt.Errorf("%q is no date: write it as 2026-03-01, or with a time as 2026-03-01T09:00:00Z", m.Date)
	case len(m.Rule) > maxRule:
		return fmt.Errorf("its rule is longer than %d bytes: shorten it", maxRule)
	}

	if _, err := regexp.Compile(m.Regex); err != nil {
		return fmt.Errorf("its regex is no RE2 expression: %w", err)
	}

	values := []*json.RawMessage{&m.Equal, &m.Set}
	for i := range m.OneOf {
		values = append(values, &m.OneOf[i])
	}

	for _, v := range values {
		if len(*v) == 0 {
			continue
		}

		var compact bytes.Buffer
		if err := json.Compact(&compact, *v); err != nil {
			return fmt.Errorf("a value is not JSON: %w", err)
		}

		*v = compact.Bytes()
	}

	if len(m.Set) > 0 && m.Set[0] != '[' {
		return errors.New(`its set is not a list: write it as ["a", "b"]`)
	}

	return nil
}

var (
	dayLayouts = []string{time.DateOnly, "2006/01/02", "2 January 2006", "January 2, 2006", "2 Jan 2006",
		"Jan 2, 2006"}
	instantLayouts = []string{time.RFC3339Nano, "2006-01-02T15:04Z07:00"}
	localLayouts   = []string{"2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02T15:04", "2006-01-02 15:04"}
)

// ParseDay reads a day, and ParseInstant a moment with its time zone, in the forms
// that people and programs write. ParseLocal reads a time without a zone.
func ParseDay(text string) (time.Time, bool)     { return parseIn(text, dayLayouts) }
func ParseInstant(text string) (time.Time, bool) { return parseIn(text, instantLayouts) }
func ParseLocal(text string) (time.Time, bool)   { return parseIn(text, localLayouts) }

// IsDate reports whether a text is a day or a moment.
func IsDate(text string) bool {
	_, day := ParseDay(text)
	_, instant := ParseInstant(text)
	return day || instant
}

func parseIn(text string, layouts []string) (time.Time, bool) {
	text = strings.TrimSpace(text)
	if len(text) < 8 || len(text) > 40 {
		return time.Time{}, false
	}
	for _, layout := range layouts {
		if t, err := time.Parse(layout, text); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}
