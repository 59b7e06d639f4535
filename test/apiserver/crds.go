package apiserver

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"sigs.k8s.io/yaml"
)

// ReadCRDs reads the CustomResourceDefinitions in paths, each a YAML file with
// one definition or a folder of such files.
func ReadCRDs(paths ...string) ([]*apiextensionsv1.CustomResourceDefinition, error) {
	var crds []*apiextensionsv1.CustomResourceDefinition
	for _, path := range paths {
		err := filepath.WalkDir(path, func(file string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || filepath.Ext(file) != ".yaml" {
				return err
			}
			data, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			crd := new(apiextensionsv1.CustomResourceDefinition)
			if err := yaml.UnmarshalStrict(data, crd); err != nil {
				return fmt.Errorf("%s: %w", file, err)
			}
			if crd.Kind != "CustomResourceDefinition" {
				return nil // such as a kustomization
			}
			crds = append(crds, crd)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	if len(crds) == 0 {
		return nil, fmt.Errorf("no CustomResourceDefinition in %q", paths)
	}
	return crds, nil
}

// InstallCRDs creates the definitions that ReadCRDs finds in paths, and returns
// when every version of them is served.
func (s *Server) InstallCRDs(ctx context.Context, paths ...string) error {
	crds, err := ReadCRDs(paths...)
	if err != nil {
		return err
	}
	return s.CreateCRDs(ctx, crds...)
}

// CreateCRDs creates the definitions and returns when every version of them is
// served. The API server holds the first creations of objects back for two
// seconds after that, so that all servers of a cluster know the definition.
func (s *Server) CreateCRDs(ctx context.Context, crds ...*apiextensionsv1.CustomResourceDefinition) error {
	client, err := clientset.NewForConfig(s.config)
	if err != nil {
		return err
	}
	resources, err := dynamic.NewForConfig(s.config)
	if err != nil {
		return err
	}
	definitions := client.ApiextensionsV1().CustomResourceDefinitions()
	for _, crd := range crds {
		if _, err := definitions.Create(ctx, crd, metav1.CreateOptions{}); err != nil {
			return err
		}
	}
	for _, crd := range crds {
		err := poll(ctx, func() (bool, error) {
			current, err := definitions.Get(ctx, crd.Name, metav1.GetOptions{})
			if err != nil {
				return false, err
			}
			return established(current)
		})
		for _, version := range crd.Spec.Versions {
			if err != nil || !version.Served {
				continue
			}
			// The handler learns of an established definition from its own
			// informer: until then the resource is 404.
			resource := resources.Resource(schema.GroupVersionResource{Group: crd.Spec.Group, Version: version.Name, Resource: crd.Spec.Names.Plural})
			err = poll(ctx, func() (bool, error) {
				_, err := resource.List(ctx, metav1.ListOptions{Limit: 1})
				if apierrors.IsNotFound(err) || apierrors.IsServiceUnavailable(err) || apierrors.IsTooManyRequests(err) {
					return false, nil
				}
				return err == nil, err
			})
		}
		if err != nil {
			return fmt.Errorf("CRD %s: %w", crd.Name, err)
		}
	}
	return nil
}

// established reports whether the definition is accepted and served, or an
// error if it never will be.
func established(crd *apiextensionsv1.CustomResourceDefinition) (bool, error) {
	ok := false
	for _, condition := range crd.Status.Conditions {
		switch {
		case condition.Type == apiextensionsv1.Established:
			ok = condition.Status == apiextensionsv1.ConditionTrue
		case condition.Type == apiextensionsv1.NamesAccepted && condition.Status == apiextensionsv1.ConditionFalse:
			return false, errors.New(condition.Message)
		}
	}
	return ok, nil
}
