package templates

// Local is the list of local names, for tests.
var Local = local
