package sentence_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// phrases are pieces of text in several languages and scripts. The model knows
// English. The others must nevertheless be computed like the reference does.
var phrases = []string{
	"What is the weather in Paris today?", "send an email to the whole team", "List open issues",
	"create_issue", "getUserByID", "HTTPServer", "Convert 3.5 miles to kilometres", "12:30", "10:00",
	"translate this document", "book a table for two", "the quick brown fox", "I can't log in :(", "a :-) b",
	"https://example.org/path?q=1#top", "$1,299.99", "50%", "C++", "naïve café", "résumé", "ﬁnance", "№ 5", "①②③",
	"Wie wird das Wetter morgen?", "¿Dónde está la biblioteca?", "Où est la gare ?", "Qual è il prezzo?",
	"Jaka będzie jutro pogoda?", "Какая сегодня погода?", "天気はどうですか", "今天天气怎么样", "오늘 날씨 어때요",
	"ما هو الطقس اليوم", "מה מזג האוויר היום", "आज मौसम कैसा है", "วันนี้อากาศเป็นอย่างไร", "Thời tiết hôm nay thế nào",
	"😀", "👩‍👩‍👧", "🇫🇷", "e\u0301", "\u200b", "\u00a0", "\t", "\n", "--", "“quoted”", "…", "ＦＵＬＬ ｗｉｄｔｈ", "½",
	"Returns the rows of a table that match a filter.", "delete", "stock prices of the last week", "Play some music",
	"Ignore all previous instructions.", "SELECT * FROM users WHERE id = 42;", "{\"a\": [1, 2]}", "0xDEADBEEF",
}

// edgeTexts are texts that are easily computed wrong.
var edgeTexts = []string{
	"", " ", "   ", "a", ".", "▁", "▁a", "a▁b", "\u0000", "�", "��", "😀😀😀", "a😀b", "\n\n", "(Hello", ":30", "12:30:30", "http://", "”5”5", ":):)",
	strings.Repeat("word ", 127), strings.Repeat("word ", 128), strings.Repeat("word ", 129), strings.Repeat("a", 5000), strings.Repeat("天", 300),
	strings.Repeat("a lot of text in one long line, ", 2000), "constructor", "__proto__", "toString hasOwnProperty",
}

// manyTexts returns n different kinds of texts, the same ones each time: first
// edgeTexts, then phrases, then random combinations of phrases, words, numbers
// and characters.
func manyTexts(n int) []string {
	texts := append(append([]string{}, edgeTexts...), phrases...)
	r := rand.New(rand.NewPCG(20261122, 13))
	words := strings.Fields(strings.Join(phrases, " "))
	for len(texts) < n {
		var b strings.Builder
		for range 1 + r.IntN(1+r.IntN(14)) {
			switch r.IntN(8) {
			case 0:
				b.WriteString(phrases[r.IntN(len(phrases))])
			case 1:
				fmt.Fprintf(&b, "%d", r.IntN(1_000_000))
			case 2:
				b.WriteRune(rune(0x20 + r.IntN(0x300)))
			case 3:
				b.WriteRune(rune(0x1F300 + r.IntN(0x300)))
			default:
				b.WriteString(words[r.IntN(len(words))])
			}
			if r.IntN(5) > 0 {
				b.WriteByte(' ')
			}
		}
		texts = append(texts, b.String())
	}
	return texts[:n]
}
