package refreshcorpus

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// maxNesting is how deep blocks, lists and objects of upstreams.hcl may be in
// one another: three are needed.
const maxNesting = 20

// literal refuses what is no plain value, and what nests too deep. The parser
// recurses with each bracket and operator, so that without this a small file
// could overflow the stack; and there is nothing here to compute with.
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
			hclsyntax.TokenBang, hclsyntax.TokenMinus, hclsyntax.TokenPlus, hclsyntax.TokenStar, hclsyntax.TokenSlash, hclsyntax.TokenPercent,
			hclsyntax.TokenQuestion, hclsyntax.TokenDot, hclsyntax.TokenAnd, hclsyntax.TokenOr, hclsyntax.TokenEqualOp, hclsyntax.TokenNotEqual,
			hclsyntax.TokenLessThan, hclsyntax.TokenLessThanEq, hclsyntax.TokenGreaterThan, hclsyntax.TokenGreaterThanEq:
			return append(diags, refusal(t.Range, "this is no plain value", "write texts, lists and maps of texts; there are no expressions here, and $${ stands for ${"))
		}
		if depth > maxNesting {
			return append(diags, refusal(t.Range, "this is nested too deep", "close a bracket or a brace before this"))
		}
	}
	return diags
}

func refusal(at hcl.Range, summary, detail string) *hcl.Diagnostic {
	return &hcl.Diagnostic{Severity: hcl.DiagError, Summary: summary, Detail: detail, Subject: at.Ptr()}
}
