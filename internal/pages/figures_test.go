package pages

import (
	"strings"
	"testing"
)

var measured = Figures{
	{"ingest/pods", "cpu"}:        {"2.44 s", "781 ms", "3.13x"},
	{"ingest/pods", "peak-RSS-B"}: {"705M", "181M", "3.88x"},
	{"memory/informer", "heap-B"}: {"5538", "7486", "0.73x"},
	{"fanout", "time/op"}:         {"6.89 µs", "671 ns", "10.1x"},
}

func TestWrite(t *testing.T) {
	t.Parallel()
	for page, want := range map[string]string{
		"| CPU | 9 s | 1 s | 9× <!-- figures ingest/pods cpu --> | \n":                                         "| CPU | 2.44 s | 781 ms | 3.1× <!-- figures ingest/pods cpu --> |\n",
		"| heap | | <!-- figures memory/informer heap-B --> |\n":                                               "| heap | 5538 B | 7486 B <!-- figures memory/informer heap-B --> |\n",
		"| event | | | <!-- figures fanout time/op --> |\n":                                                    "| event | 6.89 µs | 671 ns | 10× <!-- figures fanout time/op --> |\n",
		"| pods | | | | | more <!-- figures ingest/pods cpu peak-RSS-B --> |\n":                                "| pods | 2.44 s | 781 ms | 705 MB | 181 MB | more <!-- figures ingest/pods cpu peak-RSS-B --> |\n",
		"It takes <!-- here ingest/pods cpu -->4\ns<!-- end -->, <!-- ratio fanout time/op --><!-- end -->.\n": "It takes <!-- here ingest/pods cpu -->781 ms<!-- end -->, <!-- ratio fanout time/op -->10×<!-- end -->.\n",
		"| no | marker |\n": "| no | marker |\n",
	} {
		if got, err := measured.Write(page); err != nil || got != want {
			t.Errorf("%q: got %q and %v, want %q", page, got, err, want)
		} else if again, err := measured.Write(got); err != nil || again != got {
			t.Errorf("%q: written again, it is %q (%v)", page, again, err)
		}
	}
}

func TestWriteProblems(t *testing.T) {
	t.Parallel()
	for page, want := range map[string]string{
		"| gone | | <!-- figures ingest/gone cpu --> |\n":          "no row of ingest/gone in cpu",
		"| short | <!-- figures ingest/pods cpu --> |\n":           "2 cells in the row",
		"It takes\n<!-- here ingest/pods cpu -->1 s<!-- end -->\n": "begins with a marker",
		"In <!-- here ingest/pods sync -->1 s<!-- end -->\n":       "no row of ingest/pods in sync",
	} {
		if _, err := measured.Write(page); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", page, err, want)
		}
	}
}

func TestUnmarked(t *testing.T) {
	t.Parallel()
	const page = "| CPU | 2 s | 1 s <!-- figures ingest/pods cpu --> |\nIt takes <!-- here ingest/pods cpu -->781 ms<!-- end --> in place of 2.44 s.\n"
	if got, want := Unmarked(page), "It takes  in place of 2.44 s.\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
