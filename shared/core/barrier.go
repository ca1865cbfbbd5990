package core

// BarrierPosition is how one Barrier step stands towards its barrier (BEHAVIOUR §11.1): told
// to the pipeline's track, which keeps the barriers of a run, and answered by it.
type BarrierPosition struct {
	Barrier string `json:"barrier"`
	Node    string `json:"node"`            // FQN of the step
	Track   string `json:"track,omitempty"` // that waits there
	Attempt int    `json:"attempt,omitempty"`
	// Again is how often the group around all steps of the barrier had been tried before:
	// each time they meet anew.
	Again  int           `json:"again,omitempty"`
	State  PositionState `json:"state"`
	Reason string        `json:"reason,omitempty"` // of Gone and Broken
}

// PositionState is a step's word about its position, or the barrier's about itself.
type PositionState string

// States of a position; the last two are the barrier's answers.
const (
	PositionArrived PositionState = "arrived" // it waits
	PositionAbsent  PositionState = "absent"  // it was skipped: nobody waits for it
	PositionGone    PositionState = "gone"    // it will never arrive, or has given up
	BarrierMet      PositionState = "met"     // everybody has arrived
	BarrierBroken   PositionState = "broken"  // one is gone: those who wait fail
)
