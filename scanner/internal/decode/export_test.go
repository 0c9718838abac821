package decode

// For the tests that scan what these forms hide.
var Forms = forms

const (
	FormAttack = formAttack
	FormTwin   = formTwin
)
