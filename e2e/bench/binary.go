package main

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// binary builds the program and measures how fast `slipway up` answers and how
// much memory it then holds.
func binary(ctx context.Context, dir string) error {
	bin := filepath.Join(dir, "slipway")
	build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", bin, "./cmd/slipway")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("building: %w: %s", err, out)
	}
	var each []time.Duration
	memory := ""
	for i := range 5 {
		d, rss, err := up(ctx, bin, filepath.Join(dir, fmt.Sprint("up", i)))
		if err != nil {
			return err
		}
		each, memory = append(each, d), rss
	}
	slices.Sort(each)
	row("slipway up, empty folder to first answer", "p50", each[2].Round(time.Millisecond).String(), "≤ 1s")
	row("slipway up, resident memory at rest", "RSS", memory, "")
	if st, err := os.Stat(bin); err == nil {
		row("the binary, stripped", "size", fmt.Sprintf("%.1f MB", float64(st.Size())/1e6), "")
	}
	return nil
}

func up(ctx context.Context, bin, dir string) (time.Duration, string, error) {
	const addr = "127.0.0.1:17977"
	begin := time.Now()
	cmd := exec.CommandContext(ctx, bin, "up", "--port", "17977", "--data", dir)
	if err := cmd.Start(); err != nil {
		return 0, "", err
	}
	defer func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }()
	for time.Since(begin) < 30*time.Second {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+addr+"/healthz", nil)
		if err != nil {
			return 0, "", err
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			time.Sleep(time.Millisecond)
			continue
		}
		_ = resp.Body.Close()
		return time.Since(begin), resident(cmd.Process.Pid), nil
	}
	return 0, "", fmt.Errorf("%s did not answer within 30 s", addr)
}

func resident(pid int) string {
	f, err := os.Open(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return "unknown here"
	}
	defer func() { _ = f.Close() }()
	for s := bufio.NewScanner(f); s.Scan(); {
		if v, ok := strings.CutPrefix(s.Text(), "VmRSS:"); ok {
			return strings.TrimSpace(v)
		}
	}
	return "unknown"
}
