package level

import "testing"

func TestThorough(t *testing.T) {
	for value, runs := range map[string]bool{"": false, "all": false, thorough: !testing.Short()} {
		t.Run(value, func(t *testing.T) {
			t.Setenv(variable, value)
			ran := false
			t.Run("long", func(t *testing.T) {
				Thorough(t, "it takes long")
				ran = true
			})
			if ran != runs {
				t.Errorf("%t, not %t", ran, runs)
			}
			if n := Rounds(2, 9); (n == 9) != runs || (n == 2) == runs {
				t.Errorf("%d rounds", n)
			}
		})
	}
}
