package main

import (
	"bufio"
	"encoding/json"
	"io"
	"net/url"
	"os"
	"time"
)

// request is a request in an API server's audit log.
type request struct {
	AuditID    string    `json:"auditID"`
	Verb       string    `json:"verb"`
	RequestURI string    `json:"requestURI"`
	Received   time.Time `json:"requestReceivedTimestamp"`
	User       struct {
		Username string `json:"username"`
	} `json:"user"`
}

// program returns which of the two programs has made the request: the
// controller manager has a service account for each controller.
func (r request) program() string {
	if r.User.Username == "system:"+scheduler {
		return scheduler
	}
	return controllerManager
}

// kind returns the verb, and whether a watch begins with a list.
func (r request) kind() string {
	if parsed, err := url.Parse(r.RequestURI); r.Verb == "watch" && err == nil && parsed.Query().Get("sendInitialEvents") == "true" {
		return "watch-list"
	}
	return r.Verb
}

// readAudit returns the requests in an audit log, each once: a watch is there
// when it begins and when it ends.
func readAudit(file string) ([]request, error) {
	log, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	return parseAudit(log)
}

// parseAudit skips lines that are no JSON: a server that is killed may leave
// half a line.
func parseAudit(r io.Reader) ([]request, error) {
	var requests []request
	seen := map[string]bool{}
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var next request
		if json.Unmarshal(lines.Bytes(), &next) != nil || seen[next.AuditID] {
			continue
		}
		seen[next.AuditID] = true
		requests = append(requests, next)
	}
	return requests, lines.Err()
}
