// Package generate tests informer-gen as its users run it: as a program, in a
// module of their own outside the repository, on API packages that were not
// written for it. What it writes must compile, and have the API that
// code-generator's informer-gen and lister-gen give the same input.
package generate
