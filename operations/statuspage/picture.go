package statuspage

import (
	"fmt"
	"strconv"
	"time"
)

// The size of a picture in its own units. It is scaled to the width of its place. The line keeps the
// margin.
const (
	pictureWidth  = 1200
	pictureHeight = 240
	pictureMargin = 10
)

// picture draws values over the time of the history until now, as SVG. A label says the same in words.
func picture(what string, points []point, window time.Duration, now time.Time) markup {
	most := 0.0
	for _, p := range points {
		most = max(most, p.value)
	}
	label := what + ": no samples yet"
	if len(points) > 0 {
		label = fmt.Sprintf("%s, the last %s: now %s, at most %s", what, brief(window), number(points[len(points)-1].value), number(most))
	}
	return format(`<svg class="picture" viewBox="0 0 %s %s" preserveAspectRatio="none" role="img" aria-label="%s"><title>%s</title>`+
		`<path class="line" d="%s" vector-effect="non-scaling-stroke"></path></svg>`,
		pictureWidth, pictureHeight, label, label, line(points, most, window, now))
}

// line returns the path of the values: time from left to right, zero at the bottom.
func line(points []point, most float64, window time.Duration, now time.Time) markup {
	var d []byte
	for _, p := range points {
		x := pictureWidth * (1 - now.Sub(p.at).Seconds()/window.Seconds())
		if x < 0 || x > pictureWidth {
			continue
		}
		y := float64(pictureHeight - pictureMargin)
		if most > 0 {
			y -= p.value / most * (pictureHeight - 2*pictureMargin)
		}
		command := byte('L')
		if len(d) == 0 {
			command = 'M'
		}
		d = strconv.AppendInt(append(d, command), int64(x), 10)
		d = strconv.AppendInt(append(d, ' '), int64(y), 10)
	}
	return markup(d)
}
