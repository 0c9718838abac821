package sentence

import (
	"encoding/json"
	"errors"
	"fmt"

	"golang.org/x/text/unicode/norm"
)

const (
	// separator marks the start of a word in the vocabulary, as SentencePiece
	// does.
	separator = '\u2581'
	// unknown is the id of each character that no piece begins with.
	unknown = 0
	// reserved is the number of ids at the front of the vocabulary that stand
	// for control symbols and match no text.
	reserved = 6
)

// tokenizer splits text into the word pieces of a unigram model (Kudo, "Subword
// Regularization", 2018): of all ways to split a text, it uses the one with the
// highest sum of scores.
type tokenizer struct {
	// edges is a trie. The key is a node and a character, the value is the node
	// that follows; node 0 is the root.
	edges map[edge]int32
	// pieces holds, by node, the piece that ends there; id 0 means none.
	pieces []piece
	// size is the number of entries of the vocabulary.
	size int
}

type edge struct {
	node int32
	char rune
}

type piece struct {
	id    int32
	score float64
}

// vocabularyEntry is one row of the vocabulary file: [piece, score]. A few
// scores in the file are null and count as 0.
type vocabularyEntry struct {
	text  string
	score float64
}

func (v *vocabularyEntry) UnmarshalJSON(b []byte) error {
	var text *string
	var score *float64
	row := []any{&text, &score}
	if err := json.Unmarshal(b, &row); err != nil {
		return err
	}

	if len(row) != 2 || text == nil {
		return errors.New("an entry is not a pair of a piece and a score")
	}

	v.text = *text
	if score != nil {
		v.score = *score
	}

	return nil
}

// newTokenizer reads a vocabulary: a JSON array of pairs of a piece and its
// score, in the order of their ids. If a piece occurs twice, the later entry
// applies.
func newTokenizer(vocabulary []byte) (*tokenizer, error) {
	var entries []vocabularyEntry
	if err := json.Unmarshal(vocabulary, &entries); err != nil {
		return nil, fmt.Errorf("vocabulary: %w", err)
	}

	if len(entries) <= reserved {
		return nil, fmt.Errorf("vocabulary: %d entries, want more than the %d reserved ones", len(entries), reserved)
	}

	t := &tokenizer{edges: make(map[edge]int32, 4*len(entries)), pieces: make([]piece, 1, 4*len(entries)),
		size: len(entries)}
	for id := reserved; id < len(entries); id++ {
		if entries[id].text == "" {
			return nil, fmt.Errorf("vocabulary: entry %d is empty", id)
		}

		t.insert(entries[id], int32(id))
	}

	return t, nil
}

func (t *tokenizer) insert(entry vocabularyEntry, id int32) {
	node := int32(0)
	for _, char := range entry.text {
		next, ok := t.edges[edge{node, char}]
		if !ok {
			next = int32(len(t.pieces))
			t.pieces = append(t.pieces, piece{})
			t.edges[edge{node, char}] = next
		}
		node = next
	}
	t.pieces[node] = piece{id, entry.score}
}

// encode returns the ids of the pieces of text. Neighbouring unknown characters
// become one id. The text is brought to the normal form NFKC first. An empty
// text has no pieces.
//
// The result equals that of the reference implementation in every detail: a sum
// of exactly 0 counts as not reached, an unreached position costs nothing, and
// of two equal sums the one with the later start wins.
func (t *tokenizer) encode(text string) []int32 {
	text = norm.NFKC.String(text)
	if text == "" {
		return nil
	}

	chars := make([]rune, 0, len(text)+1)
	chars = append(chars, separator)
	for _, c := range text {
		if c == ' ' {
			c = separator
		}

		chars = append(chars, c)
	}

	// ways[end] is the best way to split chars[:end], by its last piece.
	type way struct {
		sum    float64
		id     int32
		length int32
	}
	ways := make([]way, len(chars)+1)
	for i := range ways {
		ways[i].length = 1
	}

	for start := range chars {
		node, found := int32(0), false
		offer := func(end int, id int32, score float64) {
			sum := score + ways[start].sum
			if w := &ways[end]; w.sum == 0 || sum >= w.sum {
				*w = way{sum, id, int32(end - start)}
			}
		}
		for end := start; end < len(chars); end++ {
			next, ok := t.edges[edge{node, chars[end]}]
			if !ok {
				break
			}

			node = next
			if p := t.pieces[node]; p.id != 0 {
				offer(end+1, p.id, p.score)
				found = true
			}
		}

		if !found {
			offer(start+1, unknown, 0)
		}
	}

	var ids []int32
	for end := len(chars); end > 0; end -= int(ways[end].length) {
		if id := ways[end].id; id != unknown || len(ids) == 0 || ids[len(ids)-1] != unknown {
			ids = append(ids, id)
		}
	}

	for i, j := 0, len(ids)-1; i < j; i, j = i+1, j-1 {
		ids[i], ids[j] = ids[j], ids[i]
	}

	return ids
}
