package decode

import (
	"strings"

	"github.com/touchstone-eval/touchstone/scanner/internal/char"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/lexicon"
)

// Measures how much the letters of a text are like prose, to break ciphers.

// pairCosts holds, for each letter and the end of a word, the cost of each
// letter after it: -4 log2 of its share in English prose, written as base64
// digits (A is 0, / is 63). The shares come from this project's own documents
// and comments.
const pairCosts = "" +
	"7ZSTxeT/W4YQSK4X7OPKebjhUwM" +
	"Psn6G666SY6Mh6N66VVnRv66L6S" +
	"NvfxLvkJYuPUmrJa/UaNW///h/W" +
	"SkjZKpbuPzpikpSmtZNierrra2E" +
	"SnTRZZfoe2xUXPkYhLMTzWeXcyG" +
	"R+pzSVw+JzqXznLgzRhSV+++l+G" +
	"RujxHuVUO88aoVQl8PTdRmu8s8I" +
	"Iql/E1/4P44znxPxzbbdk1z/g/N" +
	"ddSUTZW/o/hQYIRX/TKJuW5g/gg" +
	"TuuuKuuucuguuuMuuuGuIuuuuue" +
	"UkecGelqPtmhjRcntnLfcql3l3I" +
	"PrnQKar/M2lOpsNi/jPWUio/V/L" +
	"JTYZHtvvR99fSiPQ9kVzXz99s9M" +
	"TyTLMgPvYocaiYOd/sQOces/a/I" +
	"ibWWaNaxgnbRSLSX/KWQPXTY/oO" +
	"LglhMzvZS99PkvPU9JTOOtv9h9P" +
	"uuuuuuuuuuuuuuuuuTuuAuuuuuX" +
	"RlaTImhvP2bhbbOb/YQTUXm/S/J" +
	"UxVsOumXU1dljqUduzVMYxd/i7D" +
	"RtimNn1HSz3jopOe8VQZexbvc/H" +
	"UZTXOkY9W99PSKeR9NOJ999j9mi" +
	"J555C5p5Q555rrh555ko5v5v55W" +
	"PttqPz9GL9znrRNz9QVz9zv999P" +
	"SjXlNbqqQ11ghhlNqedIq1qaI1M" +
	"kgfkbo7ritweffZYtfNQttb7rtC" +
	"SpfbCbppZppppfZfpfWppppppSO" +
	"MUTUUTaXOgdVVTOUfTPLcbQxrp/"

const pairClasses = 27

// pairCost holds pairCosts as numbers, one row for each letter.
var pairCost = func() (t [pairClasses][pairClasses]uint8) {
	for i := range pairClasses * pairClasses {
		t[i/pairClasses][i%pairClasses] = uint8(strings.IndexByte(char.Base64Digits, pairCosts[i]))
	}
	return t
}()

// pairClass is the place of a letter in the alphabet, or 26 for other bytes.
var pairClass = func() (t [256]uint8) {
	for i := range t {
		t[i] = pairClasses - 1
		if c := byte(i) | 0x20; i < 0x80 && c >= 'a' && c <= 'z' {
			t[i] = c - 'a'
		}
	}
	return t
}()

// Costs a letter, in hundredths of a bit. English prose costs 310 to 390, other
// European languages about 400 to 440, identifiers 500, reversed English 530,
// and enciphered text 600 and more.
const (
	costBackwards = 410 // hardly any reversed text costs less
	costProse     = 450
	costStrange   = 490
	costShifted   = 520 // the same for substituted letters
	costUnknown   = 10_000
)

// proseCost returns the average cost of the letters of a text under the shares
// of English prose, or costUnknown if it has hardly any letters.
func proseCost[T string | []byte](s T) int {
	cost, pairs := 0, 0
	last := uint8(pairClasses - 1)
	for i := 0; i < len(s); i++ {
		k := pairClass[s[i]]
		if k == pairClasses-1 && last == k {
			continue
		}

		cost += int(pairCost[last][k])
		pairs++
		last = k
	}

	if pairs < MinDecoded {
		return costUnknown
	}

	return cost * 25 / pairs
}

// spelledShare is the share, in hundredths, of correctly spelled words among
// the words of at least three letters. It is -1 if there are fewer than three.
func spelledShare[T string | []byte](s T) int {
	words, known := 0, 0
	char.EachWord(s, func(from, to int) bool {
		if to-from > 2 {
			words++
			if lexicon.IsSpelled(s[from:to]) {
				known++
			}
		}

		return true
	})
	if words < 3 {
		return -1
	}

	return known * 100 / words
}
