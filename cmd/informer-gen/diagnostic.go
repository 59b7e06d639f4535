package main

import (
	"fmt"
	"go/token"
	"path/filepath"
	"strings"
)

// severity says how a diagnostic affects the run.
type severity string

const (
	isError   severity = "error"   // the exit status is not 0
	isWarning severity = "warning" // the exit status is 0, unless --strict makes it an error
	isInfo    severity = "info"    // a step, or what the run did
)

// diagnostic is a message with its place. In the format json it is an object on a line of
// standard error.
type diagnostic struct {
	Severity severity `json:"severity"`
	// File is relative to the working directory. It is empty for a message that is about no file. Line and
	// Column start at 1, and are 0 for a message about a whole file.
	File   string `json:"file,omitempty"`
	Line   int    `json:"line,omitempty"`
	Column int    `json:"column,omitempty"`
	// Message is the whole text: what is wrong: what was found; what to do.
	Message string `json:"message"`
	// Found and Advice are the last two parts of the message. Each is empty if the message lacks it.
	Found  string `json:"found,omitempty"`
	Advice string `json:"advice,omitempty"`
}

func newDiagnostic(level severity, pos token.Position, message string) diagnostic {
	d := diagnostic{Severity: level, File: filepath.ToSlash(pos.Filename), Message: message}
	if pos.IsValid() {
		d.Line, d.Column = pos.Line, pos.Column
	}
	if level != isInfo {
		d.Found, d.Advice = parts(message)
	}
	return d
}

// parts returns what was found and what to do from a message such as
//
//	+genclient:onlyVerbs: unknown verb: "lst"; did you mean list?
//
// It begins with what it is about and with what is wrong.
func parts(message string) (found, advice string) {
	wrong, advice := cutUnquoted(message, "; ")
	_, rest := cutUnquoted(wrong, ": ")
	_, found = cutUnquoted(rest, ": ")
	return found, advice
}

// cutUnquoted cuts a text at the first separator that is not in quotes.
func cutUnquoted(text, separator string) (before, after string) {
	var quote byte
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quote == '"' && c == '\\':
			i++
		case quote != 0 && c == quote:
			quote = 0
		case quote == 0 && (c == '"' || c == '`'):
			quote = c
		case quote == 0 && strings.HasPrefix(text[i:], separator):
			return text[:i], text[i+len(separator):]
		}
	}
	return text, ""
}

// workflowCommand returns a diagnostic as a command of GitHub's workflows, which shows it beside its line.
func workflowCommand(d diagnostic) string {
	var properties []string
	if d.File != "" {
		properties = append(properties, "file="+escapeProperty(d.File))
	}
	if d.Line > 0 {
		properties = append(properties, fmt.Sprintf("line=%d", d.Line))
	}
	if d.Column > 0 {
		properties = append(properties, fmt.Sprintf("col=%d", d.Column))
	}
	properties = append(properties, "title=informer-gen")
	return fmt.Sprintf("::%s %s::%s", d.Severity, strings.Join(properties, ","), escapeData(d.Message))
}

// The percent sign comes first, since the others are escaped with it.
var (
	dataEscapes     = []string{"%", "%25", "\r", "%0D", "\n", "%0A"}
	propertyEscapes = append(dataEscapes[:len(dataEscapes):len(dataEscapes)], ":", "%3A", ",", "%2C")
)

func escapeData(text string) string     { return strings.NewReplacer(dataEscapes...).Replace(text) }
func escapeProperty(text string) string { return strings.NewReplacer(propertyEscapes...).Replace(text) }

// inWorkspace returns a file relative to GitHub's checkout, as annotations need it, and not relative to the
// working directory. A file outside of the checkout is returned unchanged.
func inWorkspace(workspace, dir, file string) string {
	if workspace == "" || file == "" {
		return file
	}
	if !filepath.IsAbs(file) {
		file = filepath.Join(dir, file)
	}
	rel, err := filepath.Rel(workspace, file)
	if err != nil || !filepath.IsLocal(rel) {
		return filepath.ToSlash(file)
	}
	return filepath.ToSlash(rel)
}
