package refreshcorpus

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// maxNesting is how deeply blocks, lists and objects of upstreams.hcl may be
// nested. Three levels are needed.
const maxNesting = 20

// literal refuses everything but plain values, and too deep nesting. The parser
// recurses for each bracket and operator, so without this check a small file
// could overflow the stack.
func literal(text []byte, file string) hcl.Diagnostics {
	tokens, diags := hclsyntax.LexConfig(text, file, hcl.InitialPos)
	depth := 0
	for _, t := range tokens {
		switch t.Type {
		case hclsyntax.TokenOBrace, hclsyntax.TokenOBrack:
			depth++
		case hclsyntax.TokenCBrace, hclsyntax.TokenCBrack:
			depth--
		case hclsyntax.TokenOParen, hclsyntax.TokenTemplateInterp, hclsyntax.TokenTemplateControl,
			hclsyntax.TokenBang, hclsyntax.TokenMinus, hclsyntax.TokenPlus, hclsyntax.TokenStar, hclsyntax.TokenSlash,
			hclsyntax.TokenPercent,
			hclsyntax.TokenQuestion, hclsyntax.TokenDot, hclsyntax.TokenAnd, hclsyntax.TokenOr, hclsyntax.TokenEqualOp,
			hclsyntax.TokenNotEqual,
			hclsyntax.TokenLessThan, hclsyntax.TokenLessThanEq, hclsyntax.TokenGreaterThan,
			hclsyntax.TokenGreaterThanEq:
			return append(diags, refusal(t.Range, "this is not a plain value",
				"write strings, lists and maps of strings; expressions are not supported here, and $${ stands for ${"))
		}

		if depth > maxNesting {
			return append(diags, refusal(t.Range, "this is nested too deeply",
				"close a bracket or a brace before this"))
		}
	}

	return diags
}

func refusal(at hcl.Range, summary, detail string) *hcl.Diagnostic {
	return &hcl.Diagnostic{Severity: hcl.DiagError, Summary: summary, Detail: detail, Subject: at.Ptr()}
}
