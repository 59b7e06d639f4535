package crdserver

import "k8s.io/client-go/rest"

// Address says what a server is and how to reach it as its administrator.
type Address struct {
	// Version is the minor version of Kubernetes, such as 1.31.
	Version string `json:"version"`
	// WatchList reports whether the server sends initial events in a watch.
	WatchList bool   `json:"watchList"`
	Host      string `json:"host"`
	Token     string `json:"token"`
	CAData    []byte `json:"caData"`
	// ServerName is the name in the server's certificate.
	ServerName string `json:"serverName"`
}

// Config returns the configuration of a client.
func (a Address) Config() *rest.Config {
	return &rest.Config{
		Host:            a.Host,
		BearerToken:     a.Token,
		TLSClientConfig: rest.TLSClientConfig{CAData: a.CAData, ServerName: a.ServerName},
	}
}
