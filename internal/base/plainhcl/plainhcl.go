// Package plainhcl checks that a file in HCL holds plain values, before it is parsed. The parser
// recurses for each bracket and operator, so that a small file could overflow the stack, and an
// expression could take minutes to evaluate, as the text of 1e99999999 does.
package plainhcl

import (
	"bytes"
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// plain are the tokens of attributes and blocks whose values are texts, numbers and truth values.
var plain = []hclsyntax.TokenType{
	hclsyntax.TokenOBrace, hclsyntax.TokenCBrace, hclsyntax.TokenEqual, hclsyntax.TokenNewline, hclsyntax.TokenComment,
	hclsyntax.TokenIdent, hclsyntax.TokenNumberLit, hclsyntax.TokenOQuote, hclsyntax.TokenCQuote,
	hclsyntax.TokenQuotedLit, hclsyntax.TokenEOF,
}

// Lists are further tokens for Check: those of lists, of maps in one line, and of texts of several lines.
var Lists = []hclsyntax.TokenType{
	hclsyntax.TokenOBrack, hclsyntax.TokenCBrack, hclsyntax.TokenComma, hclsyntax.TokenColon,
	hclsyntax.TokenOHeredoc, hclsyntax.TokenCHeredoc, hclsyntax.TokenStringLit,
}

// maxNesting is how deeply brackets and braces may be nested. Files need three levels at most.
const maxNesting = 20

// Check returns the first place that is no plain value, beside what the text lacks to be HCL. more are
// further tokens that it may have. remedy says what to write in place of other tokens.
func Check(text []byte, file, remedy string, more ...hclsyntax.TokenType) hcl.Diagnostics {
	tokens, diags := hclsyntax.LexConfig(text, file, hcl.InitialPos)
	depth := 0
	for _, t := range tokens {
		switch t.Type {
		case hclsyntax.TokenOBrace, hclsyntax.TokenOBrack:
			depth++
		case hclsyntax.TokenCBrace, hclsyntax.TokenCBrack:
			depth--
		}

		problem := ""
		switch {
		case !slices.Contains(plain, t.Type) && !slices.Contains(more, t.Type):
			problem = remedy
		case t.Type == hclsyntax.TokenNumberLit && bytes.ContainsAny(t.Bytes, "eE"):
			problem = "write the number without an exponent"
		case depth > maxNesting:
			problem = "this is nested too deeply: close a bracket or a brace before it"
		}

		if problem != "" {
			return append(diags, &hcl.Diagnostic{Severity: hcl.DiagError, Summary: "this is not a plain value",
				Detail: problem, Subject: t.Range.Ptr()})
		}
	}

	return diags
}
