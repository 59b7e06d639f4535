// Package docs has templates of files that are not Go: a ClusterRole, and a table of the API types.
//
// informer-gen.yaml of this module names the folder under templates, so that
//
//	go generate .
//
// writes config/rbac/role.yaml and api/README.md. The role allows to read each type that has an informer,
// and to write those with the marker +example:reconcile, which these templates have made up.
package docs
