package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// cluster is etcd and kube-apiserver, and what is needed to reach them.
type cluster struct {
	space     *workspace
	dir       string
	authority *authority
	etcdURL   string
	port      string // of the API server
	config    *rest.Config
	client    *kubernetes.Clientset

	etcd, apiserver *process
}

// auditPolicy has every request of the two programs logged, with its verb and
// its address, and no other.
const auditPolicy = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- level: Metadata
  users: ["system:kube-scheduler", "system:kube-controller-manager"]
- level: Metadata
  userGroups: ["system:serviceaccounts:kube-system"]
- level: None
`

// startCluster starts etcd, empty, and an API server in an empty folder.
func startCluster(ctx context.Context, space *workspace, dir string) (*cluster, error) {
	if err := os.RemoveAll(dir); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	c := &cluster{space: space, dir: dir}
	if err := c.start(ctx); err != nil {
		c.stop()
		return nil, fmt.Errorf("cluster: %w", err)
	}
	return c, nil
}

func (c *cluster) start(ctx context.Context) (err error) {
	if c.port, err = freePort(); err != nil {
		return err
	}
	if err := c.startEtcd(ctx); err != nil {
		return err
	}
	if c.authority, err = newAuthority(c.dir); err != nil {
		return err
	}
	if err := c.authority.issueServing("apiserver"); err != nil {
		return err
	}
	file, err := c.authority.issueClient(c.url(), "admin", "system:masters")
	if err != nil {
		return err
	}
	if c.config, err = clientcmd.BuildConfigFromFlags("", file); err != nil {
		return err
	}
	c.config.QPS, c.config.Burst = 1000, 1000
	c.config.Timeout = 0 // watches have none
	if c.client, err = kubernetes.NewForConfig(c.config); err != nil {
		return err
	}
	if err := os.WriteFile(c.path("audit.yaml"), []byte(auditPolicy), 0o644); err != nil {
		return err
	}
	return c.startAPIServer(ctx)
}

func (c *cluster) path(file string) string { return filepath.Join(c.dir, file) }

func (c *cluster) url() string { return "https://127.0.0.1:" + c.port }

func (c *cluster) startEtcd(ctx context.Context) error {
	client, err := freePort()
	if err != nil {
		return err
	}
	peer, err := freePort()
	if err != nil {
		return err
	}
	c.etcdURL = "http://127.0.0.1:" + client
	c.etcd, err = startProcess(c.dir, "etcd", c.space.binary("", "etcd"),
		"--data-dir", c.path("etcd"), "--log-level", "warn", "--unsafe-no-fsync",
		"--listen-client-urls", c.etcdURL, "--advertise-client-urls", c.etcdURL,
		"--listen-peer-urls", "http://127.0.0.1:"+peer, "--initial-advertise-peer-urls", "http://127.0.0.1:"+peer,
		"--initial-cluster", "default=http://127.0.0.1:"+peer)
	if err != nil {
		return err
	}
	return c.etcd.waitReady(ctx, func(ctx context.Context) error { return getOK(ctx, http.DefaultClient, c.etcdURL+"/health") })
}

// startAPIServer starts the API server, at the same address each time, and
// waits until it is ready.
func (c *cluster) startAPIServer(ctx context.Context) (err error) {
	c.apiserver, err = startProcess(c.dir, "kube-apiserver", c.space.binary("", "kube-apiserver"),
		"--etcd-servers", c.etcdURL,
		"--bind-address=127.0.0.1", "--advertise-address=127.0.0.1", "--secure-port="+c.port,
		"--endpoint-reconciler-type=none", // it accepts no address of the loopback interface
		"--tls-cert-file", c.path("apiserver.crt"), "--tls-private-key-file", c.path("apiserver.key"),
		"--client-ca-file", c.path("ca.crt"), "--authorization-mode=RBAC",
		"--service-account-issuer=https://kubernetes.default.svc",
		"--service-account-key-file", c.path("accounts.pub"), "--service-account-signing-key-file", c.path("accounts.key"),
		"--service-cluster-ip-range=10.96.0.0/16",
		"--default-not-ready-toleration-seconds=5", "--default-unreachable-toleration-seconds=5",
		"--audit-policy-file", c.path("audit.yaml"), "--audit-log-path", c.path("audit.log"))
	if err != nil {
		return err
	}
	client, err := rest.HTTPClientFor(c.config)
	if err != nil {
		return err
	}
	defer client.CloseIdleConnections()
	return c.apiserver.waitReady(ctx, func(ctx context.Context) error { return getOK(ctx, client, c.url()+"/readyz") })
}

// outage kills the API server and starts it again after a while.
func (c *cluster) outage(ctx context.Context, length time.Duration) error {
	c.apiserver.kill()
	if err := sleep(ctx, length); err != nil {
		return err
	}
	return c.startAPIServer(ctx)
}

func (c *cluster) stop() {
	c.apiserver.stop()
	c.etcd.stop()
	os.RemoveAll(c.path("etcd"))
}

// freePort returns a port of the loopback interface that nothing listens on.
func freePort() (string, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer listener.Close()
	_, port, err := net.SplitHostPort(listener.Addr().String())
	return port, err
}

// getOK is an error unless the answer is 200.
func getOK(ctx context.Context, client *http.Client, url string) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", url, response.Status)
	}
	return nil
}

// sleep waits, but no longer than ctx.
func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(d):
		return nil
	}
}
