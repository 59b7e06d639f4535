package main

import (
	"bufio"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

const (
	controllerManager = "kube-controller-manager"
	scheduler         = "kube-scheduler"
)

// subject is one of the two programs that are compared, running.
type subject struct {
	*process
	port   string
	client *http.Client
}

// startSubject starts a build's kube-controller-manager or kube-scheduler, as
// a user of that name.
func startSubject(c *cluster, build, name string) (*subject, error) {
	kubeconfig, err := c.authority.issueClient(c.url(), "system:"+name)
	if err != nil {
		return nil, err
	}
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	args := []string{
		"--kubeconfig", kubeconfig, "--bind-address=127.0.0.1", "--secure-port=" + port,
		// A leader that loses its lease in an outage would end itself.
		"--leader-elect=false",
		// Limits of the client must not decide how long something takes.
		"--kube-api-qps=500", "--kube-api-burst=500",
		"--authorization-always-allow-paths=/healthz,/metrics,/debug/*",
	}
	if name == controllerManager {
		args = append(args,
			"--use-service-account-credentials",
			"--service-account-private-key-file", c.path("accounts.key"), "--root-ca-file", c.path("ca.crt"),
			"--allocate-node-cidrs", "--cluster-cidr=10.244.0.0/16", "--service-cluster-ip-range=10.96.0.0/16",
			"--node-monitor-period=2s", "--node-monitor-grace-period="+nodeGrace.String())
	}
	p, err := startProcess(c.dir, name, c.space.binary(build, name), args...)
	if err != nil {
		return nil, err
	}
	return &subject{process: p, port: port, client: &http.Client{
		Timeout: 10 * time.Second,
		// It signs its certificate itself; nothing but loopback is reached.
		Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableKeepAlives: true},
	}}, nil
}

func (s *subject) url(path string) string { return "https://127.0.0.1:" + s.port + path }

func (s *subject) waitHealthy(ctx context.Context) error {
	return s.waitReady(ctx, func(ctx context.Context) error { return getOK(ctx, s.client, s.url("/healthz")) })
}

// goroutines counts the goroutines, and those that have a function of a package
// on their stack.
func (s *subject) goroutines(ctx context.Context, packages ...string) (total int, with []int, err error) {
	text, err := s.get(ctx, "/debug/pprof/goroutine?debug=2")
	if err != nil {
		return 0, nil, err
	}
	total, with = countGoroutines(text, packages)
	return total, with, nil
}

// countGoroutines reads the stacks that pprof writes: a paragraph for each
// goroutine.
func countGoroutines(text string, packages []string) (total int, with []int) {
	with = make([]int, len(packages))
	for stack := range strings.SplitSeq(text, "\n\n") {
		if !strings.HasPrefix(strings.TrimSpace(stack), "goroutine ") {
			continue
		}
		total++
		for i, pkg := range packages {
			if strings.Contains(stack, pkg) {
				with[i]++
			}
		}
	}
	return total, with
}

// metric adds up the samples of a metric that have all of some labels, written
// as in the text format: code="200".
func (s *subject) metric(ctx context.Context, name string, labels ...string) (float64, error) {
	text, err := s.get(ctx, "/metrics")
	if err != nil {
		return 0, err
	}
	return sumMetric(text, name, labels)
}

func sumMetric(text, name string, labels []string) (float64, error) {
	sum := 0.0
	lines := bufio.NewScanner(strings.NewReader(text))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		rest, ok := strings.CutPrefix(lines.Text(), name)
		if !ok || !strings.HasPrefix(rest, "{") && !strings.HasPrefix(rest, " ") || !containsAll(rest, labels) {
			continue
		}
		value, err := strconv.ParseFloat(rest[strings.LastIndexByte(rest, ' ')+1:], 64)
		if err != nil {
			return 0, fmt.Errorf("metric %s: %w", name, err)
		}
		sum += value
	}
	return sum, lines.Err()
}

func containsAll(text string, parts []string) bool {
	for _, part := range parts {
		if !strings.Contains(text, part) {
			return false
		}
	}
	return true
}

func (s *subject) get(ctx context.Context, path string) (string, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url(path), nil)
	if err != nil {
		return "", err
	}
	response, err := s.client.Do(request)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	data, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s", path, response.Status)
	}
	return string(data), err
}
