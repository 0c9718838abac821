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

// HasIPv4 finds a dotted quad.
func HasIPv4(s string) bool {
	dots, digits := 0, 0
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c >= '0' && c <= '9':
			digits++
			if dots == 3 {
				return true
			}
			if digits > 3 {
				dots = 0
			}
		case c == '.' && digits > 0 && digits <= 3:
			dots++
			digits = 0
		default:
			dots, digits = 0, 0
		}
	}
	return false
}
