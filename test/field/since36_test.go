//go:build !before36

package field_test

var compared = implementations
