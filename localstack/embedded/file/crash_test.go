package file_test

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/slipway-cd/slipway/localstack/embedded/file"
	"github.com/slipway-cd/slipway/shared/core"
)

// crashEnv makes the test binary the child that is killed: it holds the path.
const crashEnv = "SLIPWAY_TEST_CRASH"

const crashWriters = 4

func TestMain(m *testing.M) {
	if path := os.Getenv(crashEnv); path != "" {
		fmt.Fprintln(os.Stderr, crashChild(path))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// crashChild goes on counting from what the file holds, in several goroutines,
// and prints each number once its write has returned. It never ends by itself.
func crashChild(path string) error {
	f, err := file.Open(path, file.Options{})
	if err != nil {
		return err
	}
	ctx := context.Background()
	failed := make(chan error)
	var out sync.Mutex
	for w := range crashWriters {
		go func() {
			n, err := counted(f, w)
			for ; err == nil; n++ {
				it := core.Item{Key: crashKey(w), Version: n + 1, Pending: true}
				if err = f.Store().Write(ctx, core.Put{Item: it}); err != nil {
					break
				}
				record := map[string][]byte{fmt.Sprint(w): []byte(fmt.Sprint(n + 1))}
				if err = f.Records("count").Save(ctx, record, nil); err != nil {
					break
				}
				out.Lock()
				fmt.Println(w, n+1)
				out.Unlock()
			}
			failed <- err
		}()
	}
	return <-failed
}

func crashKey(w int) core.Key { return core.Key{PK: "count", SK: fmt.Sprint(w)} }

func counted(f *file.File, w int) (int64, error) {
	page, err := f.Store().Query(context.Background(), core.Query{PK: "count", SKPrefix: fmt.Sprint(w)})
	if err != nil || len(page.Items) == 0 {
		return 0, err
	}
	return page.Items[0].Version, nil
}

// TestKill kills the process between any two instructions: what it had
// acknowledged is there afterwards.
func TestKill(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Skip("no way to start this program again:", err)
	}
	path := filepath.Join(t.TempDir(), "data")
	acknowledged := make([]int64, crashWriters)
	for round := range 8 {
		child := exec.CommandContext(t.Context(), self)
		child.Env = append(os.Environ(), crashEnv+"="+path)
		child.Stderr = os.Stderr
		pipe, err := child.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		lines, killAt := 0, 20+rand.IntN(200)
		for in := bufio.NewScanner(pipe); in.Scan(); {
			w, n, _ := strings.Cut(in.Text(), " ")
			writer, errW := strconv.Atoi(w)
			count, errN := strconv.ParseInt(n, 10, 64)
			if errW != nil || errN != nil {
				t.Fatalf("the child says %q", in.Text())
			}
			acknowledged[writer] = count
			if lines++; lines == killAt {
				_ = child.Process.Kill() // SIGKILL; what it wrote to the pipe is still read
			}
		}
		_ = child.Wait()
		if lines < killAt {
			t.Fatalf("round %d: the child ended by itself", round)
		}
		checkCrash(t, path, acknowledged)
	}
}

func checkCrash(t *testing.T, path string, acknowledged []int64) {
	f, err := file.Open(path, file.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for w, want := range acknowledged {
		got, err := counted(f, w)
		if err != nil || got < want {
			t.Errorf("writer %d: item at %d, acknowledged was %d, %v", w, got, want, err)
		}
		value, found, err := f.Records("count").Get(fmt.Sprint(w))
		n, _ := strconv.ParseInt(string(value), 10, 64)
		if err != nil || want > 0 && !found || n < want {
			t.Errorf("writer %d: record at %q, acknowledged was %d, %v", w, value, want, err)
		}
	}
}
