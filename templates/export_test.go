package templates

// Local are the local names, for tests.
var Local = local
