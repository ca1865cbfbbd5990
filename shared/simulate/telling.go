package simulate

import (
	"fmt"
	"strings"
)

// telling is what is said of a node: what comes again and again, once.
type telling []saying

// saying is a remark, or a failure with what was done about it.
type saying struct {
	text  string
	times int // of a failure
	acts  []act
}

type act struct{ strategy, text string }

func (t *telling) say(s string) {
	if s != "" {
		*t = append(*t, saying{text: s})
	}
}

// failed tells of a failure; the same again is counted.
func (t *telling) failed(s string) {
	if n := len(*t); n > 0 && (*t)[n-1].times > 0 && (*t)[n-1].text == s {
		(*t)[n-1].times++
		return
	}
	*t = append(*t, saying{text: s, times: 1})
}

// acted tells what was done about what was told last; of a strategy's tries the last.
func (t *telling) acted(strategy, s string) {
	if len(*t) == 0 {
		*t = append(*t, saying{})
	}
	last := &(*t)[len(*t)-1]
	if n := len(last.acts); n > 0 && strategy != "" && last.acts[n-1].strategy == strategy {
		last.acts[n-1].text = s
		return
	}
	last.acts = append(last.acts, act{strategy, s})
}

func (t *telling) String() string {
	var out []string
	for _, s := range *t {
		switch {
		case s.times > 1:
			out = append(out, fmt.Sprintf("%s, %d times", s.text, s.times))
		case s.text != "":
			out = append(out, s.text)
		}
		for _, a := range s.acts {
			out = append(out, a.text)
		}
	}
	return strings.Join(out, "; ")
}
