package report

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/internal/base/safetext"
)

const (
	// maxCompared bounds the words of both texts that are compared with each other.
	maxCompared = 2000
	// around is the number of words shown before and after a difference.
	around = 4
	// maxWords bounds the length of the result in bytes.
	maxWords = 600
)

// changedWords shows the words that differ, with a few words around them: those that are
// gone as [-words-], those that are new as {+words+}. An ellipsis stands for words that
// are equal, and for the end of a long text.
func changedWords(was, now string) string {
	a, b := strings.Fields(was), strings.Fields(now)
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}

	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}

	var out wordDiff
	for _, w := range a[:head] {
		out.word(kept, w)
	}

	out.compare(a[head:len(a)-tail], b[head:len(b)-tail])
	for _, w := range a[len(a)-tail:] {
		out.word(kept, w)
	}

	return out.text()
}

// changedMembers shows which members two lists of strings in JSON do not share. It returns ""
// if they are no such lists, or only their order differs.
func changedMembers(was, now string) string {
	a, ok := members(was)
	b, ok2 := members(now)
	if !ok || !ok2 {
		return ""
	}

	var out wordDiff
	for _, w := range a {
		if !slices.Contains(b, w) {
			out.word(gone, w)
		}
	}

	for _, w := range b {
		if !slices.Contains(a, w) {
			out.word(fresh, w)
		}
	}

	if len(out.words) == 0 {
		return ""
	}

	return out.text()
}

// members reads a list of strings. A list that is absent has none.
func members(list string) (of []string, ok bool) {
	if list == "" {
		return nil, true
	}
	err := json.Unmarshal([]byte(list), &of)
	return of, err == nil
}

// fate is what became of a word.
type fate uint8

const (
	kept fate = iota
	gone
	fresh
)

type wordDiff struct {
	words []string
	fates []fate
}

func (d *wordDiff) word(f fate, w string) {
	d.words, d.fates = append(d.words, w), append(d.fates, f)
}

// compare adds two lists of words by their longest common subsequence. Lists that are
// too long are replaced as a whole.
func (d *wordDiff) compare(a, b []string) {
	if len(a) > maxCompared || len(b) > maxCompared {
		for _, w := range a {
			d.word(gone, w)
		}

		for _, w := range b {
			d.word(fresh, w)
		}

		return
	}

	// common[i][j] is the length for a[i:] and b[j:].
	common := make([][]uint16, len(a)+1)
	for i := range common {
		common[i] = make([]uint16, len(b)+1)
	}

	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				common[i][j] = common[i+1][j+1] + 1
			} else {
				common[i][j] = max(common[i+1][j], common[i][j+1])
			}
		}
	}

	i, j := 0, 0
	for i < len(a) || j < len(b) {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			d.word(kept, a[i])
			i, j = i+1, j+1
		case j == len(b) || i < len(a) && common[i+1][j] >= common[i][j+1]:
			d.word(gone, a[i])
			i++
		default:
			d.word(fresh, b[j])
			j++
		}
	}
}

// text writes the differences with the words around them.
func (d *wordDiff) text() string {
	shown := make([]bool, len(d.words))
	differs := false
	for i, f := range d.fates {
		if f != kept {
			differs = true
			for k := max(0, i-around); k < min(len(shown), i+around+1); k++ {
				shown[k] = true
			}
		}
	}

	if !differs {
		return "white space"
	}

	marks := [...][2]string{kept: {"", ""}, gone: {"[-", "-]"}, fresh: {"{+", "+}"}}
	var parts []string
	for i := 0; i < len(d.words); {
		end := i
		for end < len(d.words) && d.fates[end] == d.fates[i] && shown[end] == shown[i] {
			end++
		}

		if !shown[i] {
			parts = append(parts, "…")
		} else {
			mark := marks[d.fates[i]]
			parts = append(parts, mark[0]+strings.Join(d.words[i:end], " ")+mark[1])
		}

		i = end
	}

	return safetext.Clip(strings.Join(parts, " "), maxWords)
}
