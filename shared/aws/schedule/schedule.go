// Package schedule is the Schedule port on EventBridge Scheduler: one-shot
// schedules of one group that invoke functions and go when they have fired.
package schedule

import (
	"bytes"
	"context"
	"encoding/json"
	"regexp"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/scheduler"
	"github.com/aws/aws-sdk-go-v2/service/scheduler/types"

	"github.com/slipway-cd/slipway/shared/aws/call"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
)

// Bounds, Scheduler's own.
const (
	maxPayload = 256 << 10
	maxTries   = 185   // deliveries to a function
	maxAge     = 86400 // seconds that it is tried
	maxSets    = 4     // calls of one Set while others set and cancel the same timer
)

// A time that has passed is refused, so that a timer is set at least lead from
// now, and once more aside after a refusal: Scheduler's clock is not ours.
const (
	lead  = 5 * time.Second
	aside = time.Minute
)

// Scheduler's names of what may happen.
const (
	exists   = "ConflictException" // also: another change is under way
	notFound = "ResourceNotFoundException"
	invalid  = "ValidationException"
)

// kinds: a resource that is not found when a timer is created is the group, and a
// request that fails validation is our mistake or the deployment's.
var kinds = call.Kinds{
	exists:                          fault.Unavailable,
	"InternalServerException":       fault.Unavailable,
	"ServiceQuotaExceededException": fault.Throttled,
}

var (
	nameRule     = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,64}$`)
	functionRule = regexp.MustCompile(`^[A-Za-z0-9_-]{1,140}$`)
)

// Settings say where schedules are kept and what they may do.
type Settings struct {
	Group       string // schedule group
	Functions   string // ARN prefix of the functions that timers name
	Role        string // ARN of the role that invokes them
	DeadLetters string // ARN of the queue for what could not be delivered, "" for none
	KMSKey      string // ARN, "" for AWS's own
}

// Schedule implements core.Schedule.
type Schedule struct {
	settings Settings
	clock    core.Clock
	client   func() *scheduler.Client
}

// New returns the timers of a schedule group. clock tells which times have passed.
func New(cfg aws.Config, settings Settings, clock core.Clock) *Schedule {
	return &Schedule{settings: settings, clock: clock, client: call.Lazy(cfg, func(c aws.Config) *scheduler.Client {
		return scheduler.NewFromConfig(c)
	})}
}

// Set implements core.Schedule. A time in the past fires within about a minute, as
// soon as Scheduler allows. fault.Invalid when the name, function or payload is
// malformed, fault.TooLarge when the payload exceeds 256 KB.
func (s *Schedule) Set(ctx context.Context, t core.Timer) error {
	in, err := s.input(t)
	if err != nil {
		return err
	}
	in.ScheduleExpression = expression(t.At, s.clock.Now(), lead)
	err = s.put(ctx, in)
	if call.Code(err) == invalid && t.At.Before(s.clock.Now().Add(aside)) {
		in.ScheduleExpression = expression(t.At, s.clock.Now(), aside)
		err = s.put(ctx, in)
	}
	return call.Fault(ctx, "setting a timer", err, kinds)
}

// put creates the schedule or, when there is one, changes it; either may be
// overtaken by a firing, a Cancel or another Set. Each call has a client token of
// its own, which the SDK repeats with the call; one made of the content would undo
// a move back to an earlier time.
func (s *Schedule) put(ctx context.Context, in *scheduler.CreateScheduleInput) (err error) {
	for range maxSets / 2 {
		if _, err = s.client().CreateSchedule(ctx, in); call.Code(err) != exists {
			return err
		}
		if _, err = s.client().UpdateSchedule(ctx, update(in)); call.Code(err) != notFound {
			return err
		}
	}
	return &types.ConflictException{Message: aws.String("others change the same timer")}
}

// Cancel implements core.Schedule. One that is firing just now may still be invoked.
func (s *Schedule) Cancel(ctx context.Context, name string) error {
	if !nameRule.MatchString(name) {
		return nil
	}
	_, err := s.client().DeleteSchedule(ctx, &scheduler.DeleteScheduleInput{GroupName: &s.settings.Group, Name: &name})
	if call.Code(err) == notFound {
		return nil
	}
	return call.Fault(ctx, "canceling a timer", err, kinds)
}

// input checks a timer and returns all of its schedule but the time.
func (s *Schedule) input(t core.Timer) (*scheduler.CreateScheduleInput, error) {
	payload := input(t.Payload)
	switch {
	case !nameRule.MatchString(t.Name):
		return nil, fault.New(fault.Invalid, "timer %q: a name is 1 to 64 letters, digits, - _ and .", t.Name)
	case !functionRule.MatchString(t.Function):
		return nil, fault.New(fault.Invalid, "timer %q: %q cannot name a function", t.Name, t.Function)
	case !json.Valid(payload):
		return nil, fault.New(fault.Invalid, "timer %q: the payload is not JSON", t.Name)
	case len(payload) > maxPayload:
		return nil, fault.New(fault.TooLarge, "timer %q: a payload of %d bytes, at most %d are allowed", t.Name, len(payload), maxPayload)
	}
	in := &scheduler.CreateScheduleInput{
		Name: &t.Name, GroupName: &s.settings.Group,
		ScheduleExpressionTimezone: aws.String("UTC"),
		FlexibleTimeWindow:         &types.FlexibleTimeWindow{Mode: types.FlexibleTimeWindowModeOff},
		ActionAfterCompletion:      types.ActionAfterCompletionDelete,
		Target: &types.Target{
			Arn: aws.String(s.settings.Functions + t.Function), RoleArn: &s.settings.Role, Input: aws.String(string(payload)),
			RetryPolicy: &types.RetryPolicy{MaximumEventAgeInSeconds: aws.Int32(maxAge), MaximumRetryAttempts: aws.Int32(maxTries)},
		},
	}
	if s.settings.DeadLetters != "" {
		in.Target.DeadLetterConfig = &types.DeadLetterConfig{Arn: &s.settings.DeadLetters}
	}
	if s.settings.KMSKey != "" {
		in.KmsKeyArn = &s.settings.KMSKey
	}
	return in, nil
}

// update is in as a change, which replaces everything.
func update(in *scheduler.CreateScheduleInput) *scheduler.UpdateScheduleInput {
	return &scheduler.UpdateScheduleInput{
		Name: in.Name, GroupName: in.GroupName, KmsKeyArn: in.KmsKeyArn, Target: in.Target,
		ScheduleExpression: in.ScheduleExpression, ScheduleExpressionTimezone: in.ScheduleExpressionTimezone,
		FlexibleTimeWindow: in.FlexibleTimeWindow, ActionAfterCompletion: in.ActionAfterCompletion,
	}
}

// input is what the function gets. Scheduler would replace its keywords, which
// begin "<aws.scheduler.", and an absent payload by words of its own.
func input(payload json.RawMessage) []byte {
	if len(payload) == 0 {
		return []byte("null")
	}
	return bytes.ReplaceAll(payload, []byte("<aws.scheduler."), []byte(`\u003caws.scheduler.`))
}

// expression is a time as Scheduler takes it: UTC, at least ahead from now, and the
// next whole second, so that nothing fires early.
func expression(at, now time.Time, ahead time.Duration) *string {
	if soonest := now.Add(ahead); at.Before(soonest) {
		at = soonest
	}
	whole := at.Truncate(time.Second)
	if whole.Before(at) {
		whole = whole.Add(time.Second)
	}
	return aws.String(whole.UTC().Format("at(2006-01-02T15:04:05)"))
}
