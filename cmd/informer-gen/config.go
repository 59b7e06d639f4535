package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v3"

	"github.com/informer-gen/informer-gen/generators"
)

// configFile is the file with flags that is read if it is there.
const configFile = "informer-gen.yaml"

// readConfig sets the flags that a file has and the command line has not. Patterns
// on the command line stand instead of those in the file.
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
	var document yaml.Node
	if err := yaml.Unmarshal(content, &document); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if len(document.Content) == 0 {
		return nil
	}
	root := document.Content[0]
	if root.Kind != yaml.MappingNode {
		return fmt.Errorf("%s:%d:%d: is no map of flags, such as output-dir: pkg/client/informers", name, root.Line, root.Column)
	}
	given := map[string]bool{}
	f.set.Visit(func(flag *pflag.Flag) { given[flag.Name] = true })
	given["input-dirs"] = given["input-dirs"] || f.set.NArg() > 0
	for i := 0; i+1 < len(root.Content); i += 2 {
		if err := f.setFrom(name, root.Content[i], root.Content[i+1], given); err != nil {
			return err
		}
	}
	return nil
}

// notInConfig are the flags that only a command line can have.
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
		return fmt.Errorf("%s: is no flag of a file%s", at, generators.DidYouMean(key.Value, "", names))
	case given[flag.Name]:
		return nil
	}
	var texts []string
	switch value.Kind {
	case yaml.ScalarNode:
		texts = []string{value.Value}
	case yaml.SequenceNode:
		for _, element := range value.Content {
			texts = append(texts, element.Value)
		}
	}
	isList := flag.Value.Type() == "stringSlice"
	if len(texts) == 0 && value.Kind != yaml.SequenceNode || len(texts) > 1 && !isList {
		return fmt.Errorf("%s: expected one value, or a list for a flag that takes one", at)
	}
	for _, text := range texts {
		if err := f.set.Set(flag.Name, text); err != nil {
			return fmt.Errorf("%s: invalid value: %q; expected %s", at, text, expected(flag))
		}
	}
	return nil
}
