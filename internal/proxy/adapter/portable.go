package adapter

import (
	"bytes"
	"fmt"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// Portable returns the text of the adapter without comments, without attributes
// that are only for people, and without blocks for which keep returns false. The
// stages that start the proxy read it, so that a change of a comment or of the
// build does not rerun them unnecessarily. The text always has a name.
func (a *Adapter) Portable(keep func(block string) bool) ([]byte, error) {
	f, diags := hclsyntax.ParseConfig(a.source, a.file, hcl.InitialPos)
	if diags.HasErrors() {
		return nil, diags
	}

	body := f.Body.(*hclsyntax.Body)
	var drop []hcl.Range
	for _, name := range []string{"about", "network"} {
		if attribute := body.Attributes[name]; attribute != nil {
			drop = append(drop, attribute.SrcRange)
		}
	}

	for _, b := range body.Blocks {
		if !keep(b.Type) {
			drop = append(drop, b.Range())
			continue
		}

		if about := b.Body.Attributes["about"]; about != nil {
			drop = append(drop, about.SrcRange)
		}
	}

	tokens, diags := hclsyntax.LexConfig(a.source, a.file, hcl.InitialPos)
	if diags.HasErrors() {
		return nil, diags
	}

	var out bytes.Buffer
	if body.Attributes["name"] == nil {
		fmt.Fprintf(&out, "name = %q\n", a.Name)
	}

	end, newline := 0, true
	for _, t := range tokens {
		if t.Type == hclsyntax.TokenComment {
			// A comment to the end of the line includes the line break.
			if bytes.HasSuffix(t.Bytes, []byte("\n")) && !newline {
				out.WriteByte('\n')
				newline = true
			}

			end = -1 // a comment separates words as white space does
			continue
		}

		if within(t.Range, drop) || t.Type == hclsyntax.TokenNewline && newline {
			end = t.Range.End.Byte
			continue
		}

		if t.Range.Start.Byte > end && !newline {
			out.WriteByte(' ')
		}

		out.Write(t.Bytes)
		end, newline = t.Range.End.Byte, t.Type == hclsyntax.TokenNewline
	}

	return out.Bytes(), nil
}

func within(r hcl.Range, ranges []hcl.Range) bool {
	for _, other := range ranges {
		if r.Start.Byte >= other.Start.Byte && r.End.Byte <= other.End.Byte {
			return true
		}
	}
	return false
}
