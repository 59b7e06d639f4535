package main

import (
	"fmt"
	"regexp"
	"runtime/debug"
	"strings"
)

// release is the version of this module that the source is, or comes after.
const release = "v0.37.0"

// version is printed by --version.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	return describe(info)
}

// released matches the versions that the go command has from a registry or a tag, rather than
// from a commit.
var released = regexp.MustCompile(`^v\d+\.\d+\.\d+(-(alpha|beta|rc)\.\d+)?$`)

// describe returns the version of a build. That of the module counts if it is a release, as in
// "go install …@v0.1.0" and "go tool"; builds of a checkout name the commit as well.
func describe(info *debug.BuildInfo) string {
	if released.MatchString(info.Main.Version) {
		return strings.TrimSpace("informer-gen " + info.Main.Version + " " + info.GoVersion)
	}
	commit, date, changes := "", "", ""
	for _, setting := range info.Settings {
		switch setting.Key {
		case "vcs.revision":
			commit = setting.Value
		case "vcs.time":
			date = " of " + setting.Value
		case "vcs.modified":
			if setting.Value == "true" {
				changes = ", with changes"
			}
		}
	}
	from := "local build"
	switch {
	case commit != "":
		from = "commit " + commit + date + changes
	case info.Main.Version != "" && info.Main.Version != "(devel)":
		from = info.Main.Version // a commit that the go command has named
	}
	return strings.TrimSpace(fmt.Sprintf("informer-gen %s (%s) %s", release, from, info.GoVersion))
}
