package process

import (
	"bytes"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
)

var boot = sync.OnceValue(func() string {
	b, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return strings.TrimSpace(string(b))
})

func identify(pid int, at int64, marks []string) Identity {
	s, _ := readStat(pid)
	return Identity{Group: pid, Started: s.started, Boot: boot(), At: at, Marks: marks}
}

// stat is what /proc/PID/stat says of a process.
type stat struct {
	zombie         bool
	group, session int
	started        string // clock ticks after the boot
}

func readStat(pid int) (stat, bool) {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return stat{}, false
	}
	// The name in parentheses may hold anything; fields are counted behind it.
	fields := bytes.Fields(b[bytes.LastIndexByte(b, ')')+1:])
	if len(fields) < 20 {
		return stat{}, false
	}
	group, _ := strconv.Atoi(string(fields[2]))
	session, _ := strconv.Atoi(string(fields[3]))
	state := fields[0][0]
	return stat{zombie: state == 'Z' || state == 'X', group: group, session: session, started: string(fields[19])}, true
}

// recognise reports whether the group is the recorded one and not another that
// was given the same number: its leader started when the record says, or a
// process carries its marks.
func recognise(id Identity) bool {
	if id.Boot != boot() {
		return false
	}
	if s, ok := readStat(id.Group); ok && s.started == id.Started {
		return true
	}
	return slices.ContainsFunc(pids(), func(pid int) bool { return marked(pid, id.Marks) })
}

// members lists the living processes of the group's session and, when everything
// is asked for, those that carry its marks.
func members(id Identity, everything bool) []int {
	return slices.DeleteFunc(pids(), func(pid int) bool {
		s, ok := readStat(pid)
		if !ok || s.zombie || pid == os.Getpid() {
			return true
		}
		inside := id.Group > 1 && (s.session == id.Group || s.group == id.Group)
		return !inside && !(everything && marked(pid, id.Marks))
	})
}

func alive(id Identity) bool { return len(members(id, true)) > 0 }

func pids() []int {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer func() { _ = dir.Close() }()
	names, _ := dir.Readdirnames(-1)
	var out []int
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil {
			out = append(out, pid)
		}
	}
	return out
}

// marked reports whether the process was started with every mark in its environment.
func marked(pid int, marks []string) bool {
	if len(marks) == 0 {
		return false
	}
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
	if err != nil {
		return false
	}
	env := "\x00" + string(b)
	return !slices.ContainsFunc(marks, func(m string) bool { return !strings.Contains(env, "\x00"+m+"\x00") })
}
