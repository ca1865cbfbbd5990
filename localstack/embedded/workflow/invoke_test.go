package workflow

import "testing"

func TestPoolIsBounded(t *testing.T) {
	gate, done := make(chan bool), make(chan bool, 5)
	p := &pool{limit: 2, work: func(job) { <-gate; done <- true }}
	for range 5 {
		p.push(job{}) // never waits
	}
	p.mu.Lock()
	active := p.active
	p.mu.Unlock()
	if active != 2 {
		t.Errorf("%d workers for a limit of 2", active)
	}
	close(gate)
	for range 5 {
		<-done
	}
	p.close()
	p.push(job{})
	if p.active != 0 {
		t.Error("a closed pool takes no work")
	}
}
