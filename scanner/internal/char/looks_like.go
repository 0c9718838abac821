package char

import "strings"

// LooksLike reduces a name to its printed appearance: look-alikes are folded,
// invisible characters removed, and letters and digits of one shape made equal.
// Separators stay, because the same server is often listed with different ones.
func LooksLike(name string) string {
	var out []byte
	for _, r := range Normalize(name) {
		f := FoldRune(r)
		if f == "?" && r != '?' {
			f = string(r)
		}

		for i := 0; i < len(f); i++ {
			b := f[i]
			switch {
			case b == 'I' || b == '1':
				b = 'l'
			case b == '0':
				b = 'o'
			case b == '5':
				b = 's'
			case b >= 'A' && b <= 'Z':
				b += 'a' - 'A'
			}

			out = append(out, b)
		}
	}

	return pairsAlike.Replace(string(out))
}

// pairsAlike are pairs of letters that look like one letter.
var pairsAlike = strings.NewReplacer("rn", "m", "vv", "w")
