package ecosystem

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	ctrlcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
	clientgocache "github.com/informer-gen/informer-gen/runtime/clientgo/cache"
	"github.com/informer-gen/informer-gen/runtime/references"
	"github.com/informer-gen/informer-gen/runtime/source"
)

func newManagerOnDemand(restConfig *rest.Config, limit int) (ctrl.Manager, *clientgocache.Informers, error) {
	config, informers := clientgocache.Streaming(restConfig)
	client, err := source.NewClient(config)
	if err != nil {
		return nil, nil, err
	}
	secrets := corev1.SchemeGroupVersion.WithResource("secrets")
	informers.SetSource(&corev1.Secret{}, references.Source[*corev1.Secret](client, secrets, references.NewSetOnDemand(limit), references.Options{}))
	mgr, err := ctrl.NewManager(config, ctrl.Options{
		Cache:  ctrlcache.Options{NewInformer: informers.New},
		Scheme: scheme.Scheme, Logger: logr.Discard(), Metrics: metricsserver.Options{BindAddress: "0"},
	})
	return mgr, informers, err
}

// A manager whose Secrets are a set on demand reads and keeps those that its client gets.
func TestSecretsOnDemand(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := cachetest.NewServer()
		secret := func(name, value string) *corev1.Secret {
			return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name}, Data: map[string][]byte{"value": []byte(value)}}
		}
		secrets := cachetest.ServeObjects(server, corev1.SchemeGroupVersion.WithResource("secrets"), secret("a", "1"), secret("b", "1"), secret("c", "1"))
		manager, informers, err := newManagerOnDemand(&rest.Config{Host: "http://cachetest", Transport: server}, 2)
		if err != nil {
			t.Fatal(err)
		}
		start(t, manager.Start)
		time.Sleep(time.Second)
		get := func(name string) string {
			t.Helper()
			got := &corev1.Secret{}
			if err := manager.GetClient().Get(t.Context(), client.ObjectKey{Namespace: "default", Name: name}, got); err != nil {
				if apierrors.IsNotFound(err) {
					return "absent"
				}
				return err.Error()
			}
			return string(got.Data["value"])
		}
		if a, missing := get("a"), get("missing"); a != "1" || missing != "absent" {
			t.Errorf("got %q and %q", a, missing)
		}
		for _, request := range secrets.Requests() {
			if request.Options.FieldSelector == "" {
				t.Errorf("more than a secret was requested: %+v", request)
			}
		}
		if _, err := secrets.Update(secret("a", "2")); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		secrets.ResetRequests()
		if a := get("a"); a != "2" || len(secrets.Requests()) > 0 {
			t.Errorf("got %q with %d requests", a, len(secrets.Requests()))
		}
		if b, c := get("b"), get("c"); b != "1" || c != "1" {
			t.Errorf("got %q and %q", b, c)
		}
		time.Sleep(time.Second)
		if status := informers.Status(); len(status) != 1 || status[0].Objects != 2 || status[0].Names.Followed != 2 {
			t.Errorf("status: %v", status)
		}
	})
}
