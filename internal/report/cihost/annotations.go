// Package cihost shows the reports of a run where hosts of CI show results: as
// annotations, as SARIF, as GitLab's code quality, and in a comment on a pull request. It
// reads annotations.txt and report.md as the stage render wrote them. It imports no other
// package of this module.
package cihost

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"path"
	"strconv"
	"strings"
)

// Levels of annotations, as GitHub names them.
const (
	LevelError   = "error"
	LevelWarning = "warning"
	LevelNotice  = "notice"
)

// Annotation is one message of a report.
type Annotation struct {
	Level, Title, Message string
	File                  string // relative to the pipeline's directory, or empty
	Line, Column          int    // from 1, or 0 if they are not known
}

// maxLine bounds a line of annotations.txt in bytes. render writes less than 10 kB.
const maxLine = 1 << 20

// ParseAnnotations reads annotations.txt. Lines that are not annotations are an error: a
// report with them was not written by Touchstone.
func ParseAnnotations(r io.Reader) ([]Annotation, error) {
	var list []Annotation
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	for n := 1; lines.Scan(); n++ {
		a, err := parseAnnotation(lines.Text())
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		list = append(list, a)
	}
	return list, lines.Err()
}

func parseAnnotation(line string) (Annotation, error) {
	head, message, ok := strings.Cut(strings.TrimPrefix(line, "::"), "::")
	if !ok || !strings.HasPrefix(line, "::") {
		return Annotation{}, fmt.Errorf("%.60q is not an annotation: write the reports anew with touchstone gate", line)
	}

	level, properties, _ := strings.Cut(head, " ")
	a := Annotation{Level: level, Message: decodeText.Replace(message)}
	if level != LevelError && level != LevelWarning && level != LevelNotice {
		return a, fmt.Errorf("%.20q is not a level: use error, warning or notice", level)
	}

	for _, p := range strings.Split(properties, ",") {
		name, value, _ := strings.Cut(p, "=")
		value = decodeProperty.Replace(value)
		var err error
		switch name {
		case "title":
			a.Title = value
		case "file":
			a.File = value
		case "line":
			a.Line, err = strconv.Atoi(value)
		case "col":
			a.Column, err = strconv.Atoi(value)
		}

		if err != nil || a.Line < 0 || a.Column < 0 {
			return a, fmt.Errorf("%s: %.20q is not a number from 1", name, value)
		}
	}

	return a, nil
}

// Below sets the files of annotations relative to the repository. dir is the pipeline's
// directory in the repository, with slashes.
func Below(list []Annotation, dir string) {
	if dir == "" || dir == "." {
		return
	}
	for i := range list {
		if list[i].File != "" && !path.IsAbs(list[i].File) {
			list[i].File = path.Join(dir, list[i].File)
		}
	}
}

// GitHub writes annotations as workflow commands.
func GitHub(list []Annotation) []byte {
	var b bytes.Buffer
	for _, a := range list {
		fmt.Fprintf(&b, "::%s ", a.Level)
		if a.File != "" {
			fmt.Fprintf(&b, "file=%s,", encodeProperty.Replace(a.File))
		}

		if a.Line > 0 {
			fmt.Fprintf(&b, "line=%d,", a.Line)
		}

		if a.Column > 0 {
			fmt.Fprintf(&b, "col=%d,", a.Column)
		}

		fmt.Fprintf(&b, "title=%s::%s\n", encodeProperty.Replace(a.Title), encodeText.Replace(a.Message))
	}

	return b.Bytes()
}

// These are the escapes of workflow commands.
var (
	encodeText     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	encodeProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
	decodeText     = strings.NewReplacer("%25", "%", "%0D", "\r", "%0A", "\n")
	decodeProperty = strings.NewReplacer("%25", "%", "%0D", "\r", "%0A", "\n", "%3A", ":", "%2C", ",")
)
