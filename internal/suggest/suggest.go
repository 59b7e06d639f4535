// Package suggest finds the name that a misspelt one was meant to be.
package suggest

import (
	"fmt"
	"strings"
)

// DidYouMean returns the candidate that is most like a misspelt name, with the prefix, as
// "; did you mean …?", or "" if none is like it.
func DidYouMean(name, prefix string, candidates []string) string {
	best, bestDistance := "", len(name)/2+1
	for _, candidate := range candidates {
		if d := Distance(strings.ToLower(name), strings.ToLower(candidate)); d < bestDistance {
			best, bestDistance = candidate, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %s%s?", prefix, best)
}

// Distance is the number of letters to insert, remove or replace to make b of a.
func Distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(row[j+1]+1, row[j]+1, diagonal+cost)
		}
	}
	return row[len(b)]
}
