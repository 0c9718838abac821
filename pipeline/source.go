package pipeline

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"unicode/utf8"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// MaxSource is the maximum size in bytes of a pipeline file or a file of variables. It is enough for
// ten thousand stages.
const MaxSource = 16 << 20

// maxNesting limits the nesting of an expression. The parser and the evaluator recurse for each level,
// so without a limit a small file could overflow the stack, which would crash the program.
const maxNesting = 500

var errTooLarge = errors.New("too large")

// readLimited reads a whole file of at most limit bytes.
func readLimited(d disk, path string, limit int64) ([]byte, error) {
	f, err := d.Open(path)
	if err != nil {
		return nil, err
	}

	defer f.Close()
	return readAtMost(f, limit)
}

func readAtMost(r io.Reader, limit int64) ([]byte, error) {
	src, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err != nil {
		return nil, err
	}

	if int64(len(src)) > limit {
		return nil, fmt.Errorf("%w: it has more than %d MiB", errTooLarge, limit>>20)
	}

	return src, nil
}

// Streams holds what was read from files that can be read only once, such as pipes. The zero value is empty.
type Streams struct {
	mu    sync.Mutex
	texts map[string][]byte
}

// read returns the content of the file at a path, which it reads at the first call.
func (s *Streams) read(path string) ([]byte, error) {
	if s == nil {
		s = &Streams{}
	}

	s.mu.Lock()
	defer s.mu.Unlock()
	if text, known := s.texts[path]; known {
		return text, nil
	}

	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}

	defer f.Close()
	text, err := readAtMost(f, MaxSource)
	if err != nil {
		return nil, err
	}

	if s.texts == nil {
		s.texts = map[string][]byte{}
	}

	s.texts[path] = text
	return text, nil
}

// unixLines converts line ends to those of Unix. Otherwise a script in a heredoc would have a different
// key in a checkout in which git writes CRLF, and would fail in sh.
func unixLines(src []byte) []byte {
	if !bytes.Contains(src, []byte("\r\n")) {
		return src
	}
	return bytes.ReplaceAll(src, []byte("\r\n"), []byte("\n"))
}

// checkText refuses sources that the parser cannot handle. The source is kept for the snippet of the
// diagnostic.
func (l *loader) checkText(src []byte, filename string) bool {
	l.files[filename] = &hcl.File{Bytes: src}
	if !utf8.Valid(src) {
		at := position(src, invalidUTF8(src))
		// The snippet would contain the invalid bytes.
		delete(l.files, filename)
		l.errorf(hcl.Range{Filename: filename, Start: at, End: at}, "Invalid UTF-8",
			"The byte at line %d, column %d is not UTF-8 text. Save the file as UTF-8.", at.Line, at.Column)
		return false
	}

	if at, deep := nestsTooDeep(src, filename); deep {
		l.errorf(at, "Nested too deeply",
			"Brackets, templates and operators are nested more than %d levels deep here. Split the expression into "+
				"locals.", maxNesting)
		return false
	}

	if at, huge := hugeLiteral(src, filename); huge {
		l.errorf(at, "Number too large", "%s. If it is meant to be text, put it in quotes.",
			capital(errHugeNumber.Error()))
		return false
	}

	return true
}

func invalidUTF8(src []byte) int {
	for i := 0; i < len(src); {
		r, n := utf8.DecodeRune(src[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return len(src)
}

func position(src []byte, offset int) hcl.Pos {
	line := 1 + bytes.Count(src[:offset], []byte("\n"))
	start := bytes.LastIndexByte(src[:offset], '\n') + 1
	return hcl.Pos{Line: line, Column: 1 + utf8.RuneCount(src[start:offset]), Byte: offset}
}

// nestsTooDeep measures nesting on the tokens, which needs no recursion. An open bracket, quote or
// template is a level. Operators nest without brackets ("!!!x", "a ? b : c ? d : e", "a + b + c",
// "x[0][0]"), so each operator also counts until a comma or the end of the line ends its expression.
func nestsTooDeep(src []byte, filename string) (hcl.Range, bool) {
	// Skip the scan if the whole file has too few candidates.
	if candidates := len(src) - len(bytes.Map(func(r rune) rune {
		switch r {
		case '(', '[', '{', '"', '<', '!', '-', '?', '+', '*', '/', '%', '&', '|', '=', '>', '.':
			return -1
		}

		return r
	}, src)); candidates <= maxNesting {
		return hcl.Range{}, false
	}

	tokens, _ := hclsyntax.LexConfig(src, filename, hcl.InitialPos)
	type level struct {
		open      hclsyntax.TokenType
		operators int
	}
	stack := []level{{}}
	total := 0
	for _, t := range tokens {
		top := &stack[len(stack)-1]
		switch t.Type {
		case hclsyntax.TokenOParen, hclsyntax.TokenOBrace, hclsyntax.TokenOBrack, hclsyntax.TokenOQuote,
			hclsyntax.TokenOHeredoc, hclsyntax.TokenTemplateInterp, hclsyntax.TokenTemplateControl:
			if t.Type == hclsyntax.TokenTemplateControl || t.Type == hclsyntax.TokenOBrack {
				// %{if} nests until its %{endif}; x[0] until the end of the expression.
				top.operators++
				total++
			}

			stack = append(stack, level{open: t.Type})
			total++
		case hclsyntax.TokenCParen, hclsyntax.TokenCBrace, hclsyntax.TokenCBrack, hclsyntax.TokenCQuote,
			hclsyntax.TokenCHeredoc, hclsyntax.TokenTemplateSeqEnd:
			if closes(top.open, t.Type) {
				total -= 1 + top.operators
				stack = stack[:len(stack)-1]
			}
		case hclsyntax.TokenComma, hclsyntax.TokenNewline:
			inside := top.open == hclsyntax.TokenOParen || top.open == hclsyntax.TokenOBrack ||
				top.open == hclsyntax.TokenTemplateInterp
			if t.Type == hclsyntax.TokenComma || !inside {
				total -= top.operators
				top.operators = 0
			}
		case hclsyntax.TokenBang, hclsyntax.TokenMinus, hclsyntax.TokenQuestion, hclsyntax.TokenPlus,
			hclsyntax.TokenStar,
			hclsyntax.TokenSlash, hclsyntax.TokenPercent, hclsyntax.TokenAnd, hclsyntax.TokenOr, hclsyntax.TokenEqualOp,
			hclsyntax.TokenNotEqual, hclsyntax.TokenLessThan, hclsyntax.TokenLessThanEq, hclsyntax.TokenGreaterThan,
			hclsyntax.TokenGreaterThanEq, hclsyntax.TokenDot:
			top.operators++
			total++
		}

		if total > maxNesting {
			return t.Range, true
		}
	}

	return hcl.Range{}, false
}

// closes reports whether a token ends what another one opened. A bracket that does not match closes
// nothing; the parser reports it.
func closes(open, shut hclsyntax.TokenType) bool {
	switch shut {
	case hclsyntax.TokenCParen:
		return open == hclsyntax.TokenOParen
	case hclsyntax.TokenCBrace:
		return open == hclsyntax.TokenOBrace
	case hclsyntax.TokenCBrack:
		return open == hclsyntax.TokenOBrack
	case hclsyntax.TokenCQuote:
		return open == hclsyntax.TokenOQuote
	case hclsyntax.TokenCHeredoc:
		return open == hclsyntax.TokenOHeredoc
	}

	return open == hclsyntax.TokenTemplateInterp || open == hclsyntax.TokenTemplateControl
}
