package main

import (
	"fmt"
	"path/filepath"
	"strings"
)

// workflowCommand is a diagnostic as a command of GitHub's workflows, which shows it beside
// the line that it is about.
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

// The order counts: the others are escaped with the percent sign.
var (
	dataEscapes     = []string{"%", "%25", "\r", "%0D", "\n", "%0A"}
	propertyEscapes = append(dataEscapes[:len(dataEscapes):len(dataEscapes)], ":", "%3A", ",", "%2C")
)

func escapeData(text string) string     { return strings.NewReplacer(dataEscapes...).Replace(text) }
func escapeProperty(text string) string { return strings.NewReplacer(propertyEscapes...).Replace(text) }

// inWorkspace returns a file relative to GitHub's checkout, as annotations are
// relative to, rather than to the working directory. A file outside of it is returned as it
// is.
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

// suspendCommands returns two lines. Between them GitHub takes no line for a command, not even
// one of a diff, whose text anybody may have written; token must be one that nobody can guess.
func suspendCommands(token string) (begin, end string) {
	return "::stop-commands::" + token + "\n", "::" + token + "::\n"
}
