package statuspage

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// brief returns a duration in one or two units, such as 3m20s, 5h or 40ms.
func brief(d time.Duration) string {
	switch {
	case d < 0:
		return "-" + brief(-d)
	case d < time.Millisecond:
		d = d.Round(time.Microsecond)
	case d < time.Second:
		d = d.Round(time.Millisecond)
	case d < 10*time.Second:
		d = d.Round(100 * time.Millisecond)
	case d < time.Hour:
		d = d.Round(time.Second)
	case d < 48*time.Hour:
		d = d.Round(time.Minute)
	default:
		return fmt.Sprintf("%dd%dh", d/(24*time.Hour), d%(24*time.Hour)/time.Hour)
	}
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

// ago returns the time since then.
func ago(then, now time.Time) string {
	if then.IsZero() {
		return "never"
	}
	return brief(max(0, now.Sub(then))) + " ago"
}

// number returns a value with its thousands separated, and with one decimal if it is small.
func number[N int | int64 | uint64 | float64](n N) string {
	v := float64(n)
	if v != math.Trunc(v) && v < 100 {
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	text := strconv.FormatFloat(math.Round(v), 'f', 0, 64)
	for i := len(text) - 3; i > 0 && text[i-1] != '-'; i -= 3 {
		text = text[:i] + "\u202f" + text[i:]
	}
	return text
}

// summary returns the first line of a text, cut to a readable length. Errors of panics also have their
// stack.
func summary(text string) string {
	const most = 500
	text, _, cut := strings.Cut(text, "\n")
	if runes := []rune(text); len(runes) > most {
		text, cut = string(runes[:most]), true
	}
	if cut {
		text += " …"
	}
	return text
}

// plural returns a number with its noun.
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return number(n) + " " + noun + "s"
}
