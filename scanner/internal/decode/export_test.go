package decode

// These are exported for tests that scan texts hidden in these forms.
var Forms = forms

const (
	FormAttack = formAttack
	FormTwin   = formTwin
)
