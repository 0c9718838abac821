package web

const (
	importPath          = prefix + "/import"
	analyzePath         = prefix + "/similarity/analyze"
	matrixPath          = prefix + "/similarity/matrix"
	recommendationsPath = prefix + "/similarity/recommendations"
)
