package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v3"

	"github.com/informer-gen/informer-gen/internal/suggest"
)

// configFile is the file with flags that is read if it exists.
const configFile = "informer-gen.yaml"

// readConfig sets the flags that the file has and the command line has not. Patterns on the command line
// replace the file's.
func (f *flags) readConfig() error {
	name := f.config
	if name == "" {
		name = configFile
	}
	content, err := os.ReadFile(name)
	switch {
	case errors.Is(err, fs.ErrNotExist) && f.config == "":
		return nil
	case err != nil:
		return fmt.Errorf("--config: %w", err)
	}
	root, err := onlyDocument(name, content)
	if root == nil || err != nil {
		return err
	}
	if root.Kind != yaml.MappingNode {
		return fmt.Errorf("%s:%d:%d: is no map of flags, such as output-dir: pkg/client/informers", name, root.Line, root.Column)
	}
	given := map[string]bool{}
	f.set.Visit(func(flag *pflag.Flag) { given[flag.Name] = true })
	given["input-dirs"] = given["input-dirs"] || f.set.NArg() > 0
	seen := map[string]*yaml.Node{} // the keys by flag
	for i := 0; i+1 < len(root.Content); i += 2 {
		key := root.Content[i]
		flag := string(f.set.GetNormalizeFunc()(f.set, key.Value))
		if before := seen[flag]; before != nil {
			return fmt.Errorf("%s:%d:%d: %s: is a flag of line %d already; name it once", name, key.Line, key.Column, key.Value, before.Line)
		}
		seen[flag] = key
		if err := f.setFrom(name, key, root.Content[i+1], given); err != nil {
			return err
		}
	}
	return nil
}

// onlyDocument returns the content of a file, or nil if it is empty.
func onlyDocument(name string, content []byte) (*yaml.Node, error) {
	var root *yaml.Node
	for decoder := yaml.NewDecoder(bytes.NewReader(content)); ; {
		var document yaml.Node
		err := decoder.Decode(&document)
		switch {
		case errors.Is(err, io.EOF):
			return root, nil
		case err != nil:
			return nil, fmt.Errorf("%s: %w", name, err)
		case document.Content[0].ShortTag() == "!!null":
		case root != nil:
			return nil, fmt.Errorf("%s:%d:%d: a second document; put all flags into the first one", name, document.Line, document.Column)
		default:
			root = document.Content[0]
		}
	}
}

// notInConfig holds the flags that only a command line can have.
var notInConfig = map[string]bool{"config": true, "help": true, "version": true, "list": true, "verify": true, "output": true}

// setFrom sets a flag to a value of the file.
func (f *flags) setFrom(file string, key, value *yaml.Node, given map[string]bool) error {
	at := fmt.Sprintf("%s:%d:%d: %s", file, key.Line, key.Column, key.Value)
	flag := f.set.Lookup(key.Value)
	switch {
	case flag == nil || flag.Hidden || notInConfig[flag.Name]:
		var names []string
		f.set.VisitAll(func(flag *pflag.Flag) {
			if !flag.Hidden && !notInConfig[flag.Name] {
				names = append(names, flag.Name)
			}
		})
		return fmt.Errorf("%s: is no flag of a file%s", at, suggest.DidYouMean(key.Value, "", names))
	case given[flag.Name]:
		return nil
	}
	values := []*yaml.Node{unaliased(value)}
	if values[0].Kind == yaml.SequenceNode && flag.Value.Type() == "stringSlice" {
		values = values[0].Content
	}
	for _, value := range values {
		value = unaliased(value)
		if value.Kind != yaml.ScalarNode || value.ShortTag() == "!!null" {
			return fmt.Errorf("%s: line %d has %s; expected one value, or a list of values for a flag that takes one", at, value.Line, nameOf(value))
		}
		if err := f.set.Set(flag.Name, value.Value); err != nil {
			return fmt.Errorf("%s: invalid value: %q; expected %s", at, value.Value, expected(flag))
		}
	}
	return nil
}

// nameOf names the kind of node that stands where a value is expected.
func nameOf(value *yaml.Node) string {
	switch value.Kind {
	case yaml.SequenceNode:
		return "a list"
	case yaml.MappingNode:
		return "a map"
	case yaml.AliasNode:
		return "an alias"
	}
	return "nothing"
}

// unaliased returns the node that an alias stands for, or the node itself.
func unaliased(node *yaml.Node) *yaml.Node {
	if node.Kind == yaml.AliasNode {
		return node.Alias
	}
	return node
}
