package char

import "strings"

// LooksLike is what a name looks like in print: look-alikes folded, invisible
// characters dropped, letters and digits of one shape taken for each other.
// Separators stay, for the same server is often listed with either.
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

// pairsAlike are letters that side by side are drawn like one.
var pairsAlike = strings.NewReplacer("rn", "m", "vv", "w")
