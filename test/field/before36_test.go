//go:build before36

package field_test

// compared is without client-go: the rows say what newer ones do.
var compared = []implementation{typed, layer}
