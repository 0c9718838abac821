// Package tokencount counts the tokens of a text as a language model reads it.
//
// The vocabulary is part of the program, so a count needs no network and never
// changes. Words in the sense of a search index are package tokenize's.
package tokencount

import (
	"fmt"
	"sync"

	"github.com/tiktoken-go/tokenizer/codec"
)

// Name is the name of the encoding, which is that of GPT-4o and later models of
// OpenAI.
const Name = "o200k_base"

// encoding is loaded on first use: that takes as long as counting a large answer.
var encoding = sync.OnceValue(codec.NewO200kBase)

// Count returns the number of tokens of a text. Names of special tokens, such as
// <|endoftext|>, count as ordinary text.
func Count(text string) (int, error) {
	n, err := encoding().Count(text)
	if err != nil {
		return 0, fmt.Errorf("count the tokens of %d bytes: %w", len(text), err)
	}
	return n, nil
}

// Through returns the number of tokens of a text, and for each of ends, which are
// ascending offsets in bytes, the number of its tokens that begin before that
// offset. A token that an offset divides is counted.
func Through(text string, ends []int) (total int, through []int, err error) {
	ids, tokens, err := encoding().Encode(text)
	if err != nil {
		return 0, nil, fmt.Errorf("count the tokens of %d bytes: %w", len(text), err)
	}

	through = make([]int, len(ends))
	at, next := 0, 0
	for i, token := range tokens {
		for next < len(ends) && ends[next] <= at {
			through[next] = i
			next++
		}

		at += len(token)
	}

	for ; next < len(ends); next++ {
		through[next] = len(ids)
	}

	return len(ids), through, nil
}
