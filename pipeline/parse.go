package pipeline

import (
	"bytes"
	"regexp"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// parseFile parses a pipeline file or a file of variables. The messages of the parser get a remedy where what people
// write elsewhere has another meaning here.
func parseFile(src []byte, filename string) (*hcl.File, hcl.Diagnostics) {
	// The parser finds the end of a heredoc only on a whole line.
	if len(src) > 0 && src[len(src)-1] != '\n' {
		src = append(slices.Clip(src), '\n')
	}
	file, diags := hclsyntax.ParseConfig(src, filename, hcl.InitialPos)
	return file, explainHeredocs(explainTemplates(explainComments(diags, src, filename), src), src)
}

// forTheShell says how a text contains what a shell expands.
const forTheShell = `For the text "${", which a shell expands, write "$${"`

// explainComments gives the reason of the parser's messages if a template has an expansion of a shell in which the
// parser finds a comment, as in ${#f}, ${f##*/} and ${f//a/b}. The rest of its line is missing then, and the parser's
// messages about what follows are left out.
func explainComments(diags hcl.Diagnostics, src []byte, filename string) hcl.Diagnostics {
	if !diags.HasErrors() {
		return diags
	}

	expansion := regexp.MustCompile(`\$\{[^\s"}]*$`)
	tokens, _ := hclsyntax.LexConfig(src, filename, hcl.InitialPos)
	for _, t := range tokens {
		if t.Type != hclsyntax.TokenComment || !bytes.Contains(t.Bytes, []byte("}")) {
			continue
		}

		at := expansion.FindIndex(lineBefore(src, t.Range.Start))
		if at == nil {
			continue
		}

		start := t.Range.Start
		back := len(lineBefore(src, start)) - at[0]
		start.Byte, start.Column = start.Byte-back, start.Column-back
		kept := slices.DeleteFunc(slices.Clone(diags), func(d *hcl.Diagnostic) bool {
			return d.Subject == nil || d.Subject.End.Byte >= start.Byte
		})
		sign := string(t.Bytes[:1])
		if sign == "/" {
			sign = string(t.Bytes[:2])
		}

		return append(kept, &hcl.Diagnostic{
			Severity: hcl.DiagError, Summary: "Comment in a template",
			Detail:  sign + " begins a comment here. " + forTheShell + ".",
			Subject: &hcl.Range{Filename: filename, Start: start, End: t.Range.Start},
		})
	}

	return diags
}

// lineBefore returns the part of a line before a place.
func lineBefore(src []byte, at hcl.Pos) []byte {
	return src[bytes.LastIndexByte(src[:at.Byte], '\n')+1 : at.Byte]
}

// explainTemplates says in the messages of a parser how a text contains what begins a template.
func explainTemplates(diags hcl.Diagnostics, src []byte) hcl.Diagnostics {
	for _, d := range diags {
		if d.Subject == nil || d.Subject.Start.Byte > len(src) {
			continue
		}

		line := lineBefore(src, d.Subject.Start)
		value, control := bytes.LastIndex(line, []byte("${")), bytes.LastIndex(line, []byte("%{"))
		switch {
		case d.Summary == "Invalid template control keyword":
			// Any short word is close to "if", so the parser's suggestion is rarely what is meant.
			d.Detail, _, _ = strings.Cut(d.Detail, " Did you mean")
			d.Detail += ` For the text "%{", write "%%{".`
		case value > control && !bytes.Contains(line[value:], []byte("}")):
			d.Detail += " " + forTheShell + "."
		case control > value && !bytes.Contains(line[control:], []byte("}")):
			d.Detail += ` For the text "%{", write "%%{".`
		}
	}

	return diags
}

// explainHeredocs gives the reason of the parser's messages if a heredoc begins with a line that ends in a blank. The
// parser then reads the lines of the text as attributes, and its messages about them are left out.
func explainHeredocs(diags hcl.Diagnostics, src []byte) hcl.Diagnostics {
	if len(diags) == 0 {
		return diags
	}

	spaced := regexp.MustCompile(`^<<-?[\pL_][\pL\pN_-]*[ \t]+$`)
	for i, d := range diags {
		if d.Subject == nil || d.Subject.Start.Byte > len(src) {
			continue
		}

		start := d.Subject.Start.Byte
		line, _, _ := bytes.Cut(src[start:], []byte("\n"))
		if spaced.Match(line) {
			d.Summary = "Invalid heredoc"
			d.Detail = "A blank follows " + string(bytes.TrimSpace(line)) + ". Remove it: the line must end there."
			return diags[:i+1]
		}
	}

	return diags
}
