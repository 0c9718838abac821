package pipeline

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/touchstone-eval/touchstone/internal/base/closest"
)

// maxSourceLine is the length in bytes of the longest source line that is printed in full.
const maxSourceLine = 500

// WriteDiagnostics prints diagnostics with their source lines, in the format of hcl. A width
// of 0 does not wrap lines. It only prints the start of a very long source line.
func WriteDiagnostics(w io.Writer, diags hcl.Diagnostics, files map[string]*hcl.File, color bool, width uint) error {
	whole := hcl.NewDiagnosticTextWriter(w, files, width, color)
	placeOnly := hcl.NewDiagnosticTextWriter(w, nil, width, color)
	for _, d := range diags {
		line := sourceLine(d.Subject, files)
		if len(line) <= maxSourceLine {
			if err := whole.WriteDiagnostic(d); err != nil {
				return err
			}

			continue
		}

		short := *d
		short.Detail = fmt.Sprintf("%s\n\nThe line has %d bytes and begins with: %s", d.Detail, len(line),
			strings.ToValidUTF8(string(line[:80]), ""))
		if err := placeOnly.WriteDiagnostic(&short); err != nil {
			return err
		}
	}

	return nil
}

// sourceLine returns the source line or lines of a range.
func sourceLine(at *hcl.Range, files map[string]*hcl.File) []byte {
	if at == nil || files[at.Filename] == nil || at.Start.Byte > len(files[at.Filename].Bytes) {
		return nil
	}
	src := files[at.Filename].Bytes
	start := bytes.LastIndexByte(src[:at.Start.Byte], '\n') + 1
	if end := bytes.IndexByte(src[start:], '\n'); end >= 0 {
		return src[start : start+end]
	}
	return src[start:]
}

// errorf adds an error with its place in the source. The detail gives a remedy.
func (l *loader) errorf(at hcl.Range, summary, detail string, args ...any) {
	l.report(hcl.DiagError, at, summary, fmt.Sprintf(detail, args...))
}

func (l *loader) warnf(at hcl.Range, summary, detail string, args ...any) {
	l.report(hcl.DiagWarning, at, summary, fmt.Sprintf(detail, args...))
}

func (l *loader) report(severity hcl.DiagnosticSeverity, at hcl.Range, summary, detail string) {
	d := &hcl.Diagnostic{Severity: severity, Summary: summary, Detail: detail}
	if at.Filename != "" {
		d.Subject = &at
	}
	l.diags = append(l.diags, d)
}

// sortDiagnostics sorts diagnostics by their place in the source, because the order of
// evaluation means nothing to a reader. A file that is included twice is evaluated twice, but
// its problems are listed once. Files of values come before those of the pipeline.
func (l *loader) sortDiagnostics() hcl.Diagnostics {
	diags := l.diags
	place := func(d *hcl.Diagnostic) (int, string, int) {
		if d.Subject == nil {
			return 0, "", 0
		}

		return 2 + slices.Index(l.plan.Files, d.Subject.Filename), d.Subject.Filename, d.Subject.Start.Byte
	}
	slices.SortStableFunc(diags, func(a, b *hcl.Diagnostic) int {
		ga, fa, ba := place(a)
		gb, fb, bb := place(b)
		if ga != gb {
			return ga - gb
		}

		if c := strings.Compare(fa, fb); c != 0 {
			return c
		}

		return ba - bb
	})
	return slices.CompactFunc(diags, func(a, b *hcl.Diagnostic) bool {
		return len(l.modules) > 1 && a.Summary == b.Summary && a.Detail == b.Detail && a.Subject != nil &&
			b.Subject != nil && *a.Subject == *b.Subject
	})
}

// sensitive marks values that must not be printed.
type sensitive struct{}

// hideValue reports every text in a sensitive value.
func (l *loader) hideValue(val cty.Value) {
	if l.opts.Sensitive == nil {
		return
	}

	val, _ = val.UnmarkDeep()
	_ = cty.Walk(val, func(_ cty.Path, v cty.Value) (bool, error) {
		if t := v.Type(); !v.IsKnown() || v.IsNull() || t != cty.String && t != cty.Number {
			return true, nil
		}

		// Short numbers also occur inside digests, which masking would damage.
		if text, problem := toText(v); problem == "" && (v.Type() == cty.String || len(text.s) >= minHiddenNumber) {
			l.opts.Sensitive(text.s)
		}

		return false, nil
	})
}

// minHiddenNumber is the length of the shortest number that is reported.
const minHiddenNumber = 6

// minHidden is the length of the shortest text derived from a sensitive value that is
// reported: a shorter one is often a word, such as the result of a condition.
const minHidden = 8

// hideText reports a text that was derived from a sensitive value, such as upper(var.token).
// It does not report a script, whose lines are not sensitive by themselves.
func (l *loader) hideText(t text) {
	if l.opts.Sensitive != nil && t.sensitive && len(t.s) >= minHidden && !strings.Contains(t.s, "\n") {
		l.opts.Sensitive(t.s)
	}
}

// eval evaluates an expression. If there is a problem, it reports it and returns false. It also
// returns false, without a report, if the value depends on a value that could not be computed.
// Only such values are unknown.
func (l *loader) eval(expr hcl.Expression, ctx *hcl.EvalContext) (cty.Value, bool) {
	val, diags := l.budget.value(expr, ctx)
	if len(diags) > 0 {
		l.addEval(diags, expr, ctx)
		if diags.HasErrors() {
			return cty.DynamicVal, false
		}
	}
	return val, val.IsWhollyKnown()
}

// addEval adds the diagnostics of an evaluation without the values of sensitive variables:
// messages of functions quote their arguments, and the context of a "for" expression holds
// elements without their mark.
func (l *loader) addEval(diags hcl.Diagnostics, expr hcl.Expression, ctx *hcl.EvalContext) {
	redact := false
	for _, traversal := range expr.Variables() {
		if v, d := traversal.TraverseAbs(ctx); !d.HasErrors() && v.ContainsMarked() {
			redact = true
		}
	}

	for _, d := range diags {
		if redact {
			c := *d
			c.Detail = "The expression reads a sensitive value, so the details are withheld. Check that the value " +
				"has the form that the expression expects."
			c.Expression, c.EvalContext = nil, nil
			d = &c
		}

		l.diags = append(l.diags, d)
	}
}

// didYouMean returns a sentence that suggests the closest name, with a leading space, or "" if
// no name is close.
func didYouMean(given string, names []string) string {
	if s := closest.To(given, names); s != "" {
		return fmt.Sprintf(" Did you mean %q?", s)
	}
	return ""
}

// allOf formats all names for a sentence, like anyOf.
func allOf(names []string) string {
	if len(names) < 2 {
		return anyOf(names)
	}
	quoted := make([]string, len(names))
	for i, n := range names {
		quoted[i] = fmt.Sprintf("%q", n)
	}
	return strings.Join(quoted[:len(quoted)-1], ", ") + " or " + quoted[len(quoted)-1]
}

// inTemplate reports whether a name is the beginning of an interpolation in a text.
// not is "!" if it is between the two, as in an indirect expansion of a shell.
func (l *loader) inTemplate(at hcl.Range) (not string, begins bool) {
	f := l.files[at.Filename]
	if f == nil || at.Start.Byte > len(f.Bytes) {
		return "", false
	}

	before := f.Bytes[:at.Start.Byte]
	if bytes.HasSuffix(before, []byte("!")) {
		before, not = before[:len(before)-1], "!"
	}

	return not, bytes.HasSuffix(bytes.TrimRight(before, " ~"), []byte("${"))
}

// anyOf formats names for a sentence: `"a", "b" or "c"`.
func anyOf(names []string) string {
	const most = 12
	quoted := make([]string, 0, min(len(names), most)+1)
	for i, n := range names {
		if i == most {
			quoted = append(quoted, fmt.Sprintf("%d more", len(names)-most))
			break
		}

		quoted = append(quoted, fmt.Sprintf("%q", n))
	}

	switch len(quoted) {
	case 0:
		return "nothing"
	case 1:
		return quoted[0]
	}

	return strings.Join(quoted[:len(quoted)-1], ", ") + " or " + quoted[len(quoted)-1]
}
