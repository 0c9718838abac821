//go:build containers

package source

// parseTypeScript reports that the file was not read: no stage reads source, and the parsers of
// TypeScript are a tenth of what has to be compiled.
func parseTypeScript(f *file, _ string) {
	f.problem = "this touchstone was built for containers: it does not read TypeScript and JavaScript"
}
