package char

import "strings"

func HasEmail(s string) bool {
	for from := 0; ; {
		i := strings.IndexByte(s[from:], '@')
		if i < 0 {
			return false
		}

		i += from
		if i > 0 && i+3 < len(s) && IsWord(s[i-1]) && IsWord(s[i+1]) {
			for j := i + 1; j < len(s) && (IsWord(s[j]) || s[j] == '.' || s[j] == '-'); j++ {
				if s[j] == '.' && j+1 < len(s) && IsWord(s[j+1]) {
					return true
				}
			}
		}

		from = i + 1
	}
}
