package conformance

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
)

// rerunVariable is set in a process that rerun has started.
const rerunVariable = "CONFORMANCE_RERUN"

// rerun runs the case again in a process of its own, with a variable in its environment (NAME=value). It
// expects that test ends the process with a panic whose message matches a regular expression.
func (t *T) rerun(variable, message string, test func()) {
	t.Helper()
	if os.Getenv(rerunVariable) != "" {
		test()
		return
	}
	var pattern []string
	for name := range strings.SplitSeq(t.Name(), "/") {
		pattern = append(pattern, "^"+regexp.QuoteMeta(name)+"$")
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run="+strings.Join(pattern, "/"), "-test.v=false")
	cmd.Env = append(os.Environ(), variable, rerunVariable+"=true")
	out, err := cmd.CombinedOutput()
	if err == nil || !regexp.MustCompile(`(?m)^panic: .*(`+message+`)`).Match(out) {
		t.Errorf("process ended with %v, want a panic that matches %q; output:\n%s", err, message, out)
	}
}
