package main

import "testing"

// The server of the workloads starts, and can be stopped.
func TestStartServer(t *testing.T) {
	connection, stop, err := startServer(1, newest)
	if err != nil {
		t.Fatal(err)
	}
	if connection.Host == "" {
		t.Error("the server has no address")
	}
	stop()
}
