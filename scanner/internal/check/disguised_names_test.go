package check

import "testing"

func TestDisguisedName(t *testing.T) {
	for _, c := range []struct {
		name string
		want int
	}{
		{"reαd_filε", 2}, {"fetch_dαta", 2}, {"quεry", 2}, {"ᴄollect_users", 1}, {"zwirbεln", 1},
		{"read_file", 0}, {"calc_Δt", 0}, {"μm_to_in", 0}, {"σ²", 0}, {"σύνολο", 0}, {"größe_ändern", 0},
		{"naïve_bayes", 0}, {"α", 0}, {"dosyayı_aç", 0}, {"поиск_api", 0}, {"", 0},
	} {
		if got := disguisedName(c.name); got != c.want {
			t.Errorf("%s: got %d, want %d", c.name, got, c.want)
		}
	}
}
