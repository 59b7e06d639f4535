package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	coordinationv1 "k8s.io/client-go/kubernetes/typed/coordination/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

var errLeaseLost = errors.New("lease lost: another process may be the leader")

// lead runs a function once this process is the leader, until ctx ends or the function returns, whose
// error it returns. It returns at once when the lease is lost: the process must end then.
func lead(ctx context.Context, config *rest.Config, name string, run func(context.Context) error) error {
	config = rest.CopyConfig(config)
	config.ContentType = runtime.ContentTypeJSON // the server of "make server" has Leases as custom resources
	client, err := coordinationv1.NewForConfig(config)
	if err != nil {
		return err
	}
	host, err := os.Hostname()
	if err != nil {
		return err
	}
	identity := fmt.Sprintf("%s-%d", host, os.Getpid())
	fmt.Printf("standby: %s\n", identity)
	electing, stop := context.WithCancel(ctx)
	defer stop()
	started, ended := make(chan struct{}), make(chan error, 1)
	elector, err := leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
		Lock: &resourcelock.LeaseLock{
			LeaseMeta:  metav1.ObjectMeta{Namespace: "default", Name: name},
			Client:     client,
			LockConfig: resourcelock.ResourceLockConfig{Identity: identity},
		},
		LeaseDuration: 15 * time.Second,
		RenewDeadline: 10 * time.Second,
		RetryPeriod:   2 * time.Second,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(leading context.Context) {
				fmt.Printf("leader: %s\n", identity)
				close(started)
				err := run(leading)
				if leading.Err() == nil { // the function has ended by itself
					stop()
				}
				ended <- err
			},
			OnStoppedLeading: func() {},
		},
	})
	if err != nil {
		return err
	}
	elector.Run(electing)
	if electing.Err() == nil {
		return errLeaseLost
	}
	select {
	case <-started:
		return <-ended // when reconciles that run have returned
	default:
		return nil
	}
}
