package char

import (
	"sync"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Script distinguishes the scripts that matter for look-alikes.
type Script uint8

const (
	ScriptNone Script = iota
	ScriptLatin
	ScriptCyrillic
	ScriptGreek
	ScriptArmenian
	ScriptCherokee
	ScriptCJK
	ScriptOther
)

func ScriptOfRune(r rune) Script {
	switch {
	case r < 0x80:
		if r|0x20 >= 'a' && r|0x20 <= 'z' {
			return ScriptLatin
		}

		return ScriptNone
	case r >= 0xC0 && r < 0x250 && r != 0xD7 && r != 0xF7, r >= 0x250 && r < 0x2B0, r >= 0x1E00 && r < 0x1F00:
		return ScriptLatin
	case r >= 0x370 && r < 0x400, r >= 0x1F00 && r < 0x2000:
		return ScriptGreek
	case r >= 0x400 && r < 0x530:
		return ScriptCyrillic
	case r >= 0x531 && r < 0x590:
		return ScriptArmenian
	case r >= 0x13A0 && r < 0x1400, r >= 0xAB70 && r < 0xABC0:
		return ScriptCherokee
	case IsCJK(r), r >= 0xAC00 && r < 0xD7B0:
		return ScriptCJK
	case r >= 0x590 && r < 0x1100, r >= 0x1780 && r < 0x1800:
		return ScriptOther
	}

	return ScriptNone
}

// ScriptOf returns the script of the first letter of a word.
func ScriptOf(word string) Script {
	for _, r := range word {
		if s := ScriptOfRune(r); s != ScriptNone {
			return s
		}
	}
	return ScriptNone
}

// Lookalikes pairs letters of other scripts with the Latin letters that they
// look like, after Unicode's confusables data (UTS 39). Compatibility forms
// (full-width, mathematical) are not listed, because NFKC folds them.
const Lookalikes = "" +
	// Cyrillic
	"аaбbвbгrдdеeззиuйuкkлnмmнhоoпnрpсcтtуyфfхxцuчyшwщwъbыbьbэeюoяr" +
	"АAВBЕEЗ3КKМMНHОOРPСCТTУYХXЅSІIЇIЈJ" +
	"ЬbѕsіiїiјjһhԁdԛqԝwѡwѵvӏlҮYүyҺHӀIԌGԍgҫcӕaѐeѝuґrқkңnҳxҷyӊhәeөoӨOҟkҡk" +
	// Greek
	"αaβbγyδdεeζzηnθoιiκkλlμuνvξeοoπnρpσoςcτtυuφfχxψwωw" +
	"ΑAΒBΕEΖZΗHΙIΚKΜMΝNΟOΡPΤTΥYΧXϲcϳjϹC" +
	// Armenian
	"աwոnսuօoզqհhցgյjոnքpԱUՍUՏSՕOլlսuտmեtիhՄU" +
	// Cherokee
	"ᎠDᎡRᎢTᎥiᎪAᎫJᎬEᎳWᎷMᎻHᎽYᎾOᏀGᏂhᏃZᏎ4ᏏbᏒRᏔWᏕSᏙVᏚSᏞLᏟCᏢPᏦKᏧdᏩGᏮ6ᏴBᏳGᎵPᎶGᎦSᎴF" +
	// Latin letters that look like plain ones
	"ıiȷjɡgɑaɩiʀrɪiʏyʟlɴnʜhʙbᴀaᴄcᴅdᴇeᴊjᴋkᴌlᴍmᴏoᴘpᴛtᴜuᴠvᴡwᴢzꜱsɢgꜰfƖlƨsƽsƴyɯwɱmʋvʍw" +
	"ⅰiⅼlⅽcⅾdⅿmℓlℹi∨v∪u⍺aꞓcꞮI"

// latinFolds maps a rune to plain Latin: the base of an accented letter, or
// the letter that it looks like.
var latinFolds = sync.OnceValue(func() map[rune]string {
	m := map[rune]string{
		'ß': "ss", 'æ': "ae", 'œ': "oe", 'ø': "o", 'đ': "d", 'ð': "d", 'ł': "l", 'þ': "th", 'ħ': "h", 'ŧ': "t",
		'Æ': "AE", 'Œ': "OE", 'Ø': "O", 'Đ': "D", 'Ł': "L", 'ı': "i",
	}
	add := func(lo, hi rune) {
		for r := lo; r < hi; r++ {
			d := norm.NFD.String(string(r))
			if d[0] < 0x80 && len(d) > 1 {
				m[r] = d[:1]
			}
		}
	}
	add(0xC0, 0x250)
	add(0x1E00, 0x1F00)
	runes := []rune(Lookalikes)
	for i := 0; i+1 < len(runes); i += 2 {
		if runes[i+1] < 0x80 {
			m[runes[i]] = string(runes[i+1])
		}
	}
	// Greek letters with tonos fold like their base letters.
	for r := rune(0x386); r < 0x3CF; r++ {
		if d := []rune(norm.NFD.String(string(r))); len(d) > 1 && m[d[0]] != "" {
			m[r] = m[d[0]]
		}
	}
	return m
})

// FoldRune returns the plain Latin text for a rune: ASCII for itself, nothing
// for a combining mark, and a byte that is not a letter if nothing looks like
// it.
func FoldRune(r rune) string {
	if r < 0x80 {
		return asciiStrings[r : r+1]
	}
	if f, ok := latinFolds()[r]; ok {
		return f
	}
	if r >= 0x300 && r < 0x370 || r >= 0x1AB0 && r < 0x1B00 || r >= 0x1DC0 && r < 0x1E00 || r >= 0x20D0 && r < 0x2100 {
		return ""
	}
	return "?"
}

var asciiStrings = func() string {
	b := make([]byte, 128)
	for i := range b {
		b[i] = byte(i)
	}
	return string(b)
}()

// FoldLatin folds a whole word.
func FoldLatin(s string) string {
	var out []byte
	for _, r := range s {
		out = append(out, FoldRune(r)...)
	}
	return string(out)
}

// Skeleton reduces a name to its appearance: compatibility forms and
// look-alikes are folded, invisible characters and separators are removed,
// letters are in lower case, and digits that look like letters become letters.
func Skeleton(name string) string {
	var buf [64]byte
	return string(appendSkeleton(buf[:0], name))
}

// skeletonBytes maps each byte of ASCII; 0 removes it.
var skeletonBytes = func() (t [256]byte) {
	for c := range byte(utf8.RuneSelf) {
		t[c] = Lower(c)
	}
	for _, c := range "_-. /" {
		t[c] = 0
	}
	return t
}()

func appendSkeleton(out []byte, name string) []byte {
	name = Normalize(name)
	if IsASCII(name) {
		for i := 0; i < len(name); i++ {
			if b := skeletonBytes[name[i]]; b != 0 {
				out = append(out, b)
			}
		}

		return out
	}

	for _, r := range name {
		var f string
		if r < 0x80 {
			f = asciiStrings[r : r+1]
		} else if f = FoldRune(r); f == "?" {
			out = append(out, string(r)...)
			continue
		}

		for i := 0; i < len(f); i++ {
			b := f[i]
			switch {
			case b >= 'A' && b <= 'Z':
				b += 'a' - 'A'
			case b == '_' || b == '-' || b == '.' || b == ' ' || b == '/':
				continue
			}

			out = append(out, b)
		}
	}

	return out
}
