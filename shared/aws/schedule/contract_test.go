package schedule_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/scheduler"

	"github.com/slipway-cd/slipway/shared/aws/awstest"
	"github.com/slipway-cd/slipway/shared/aws/call"
	"github.com/slipway-cd/slipway/shared/aws/schedule"
	"github.com/slipway-cd/slipway/shared/clock"
	"github.com/slipway-cd/slipway/shared/contract"
	"github.com/slipway-cd/slipway/shared/core"
)

const silent = "it keeps schedules and never fires one"

// lacks are the cases that LocalStack cannot do.
var lacks = map[string]string{
	"a timer fires, not before its time": silent,
	"a timer in the past fires":          silent,
	"a timer is moved":                   silent,
	"a timer is canceled":                silent,
}

func TestContract(t *testing.T) {
	cfg := awstest.Config(t)
	contract.Schedule(t, func(t *testing.T) (core.Schedule, func() time.Time, func() []contract.Firing) {
		awstest.Lacks(t, lacks)
		return schedule.New(cfg, settings(awstest.ScheduleGroup(t, cfg)), clock.System()), time.Now, func() []contract.Firing { return nil }
	})
}

func settings(group string) schedule.Settings {
	return schedule.Settings{
		Group: group, Role: awstest.Role, Functions: "arn:aws:lambda:" + awstest.Region + ":000000000000:function:slipway-",
		DeadLetters: "arn:aws:sqs:" + awstest.Region + ":000000000000:slipway-timers",
	}
}

// TestKept sets, moves and cancels a timer and looks at what is kept.
func TestKept(t *testing.T) {
	cfg := awstest.Config(t)
	group := awstest.ScheduleGroup(t, cfg)
	s, client := schedule.New(cfg, settings(group), clock.System()), scheduler.NewFromConfig(cfg)
	hour := time.Now().Truncate(time.Hour).Add(2 * time.Hour)
	set := func(in time.Duration) error {
		return s.Set(t.Context(), core.Timer{Name: "run.deadline_1-a", At: hour.Add(in), Function: "advance", Payload: []byte(`{}`)})
	}
	kept := func() (string, error) {
		out, err := client.GetSchedule(t.Context(), &scheduler.GetScheduleInput{GroupName: &group, Name: aws.String("run.deadline_1-a")})
		if err != nil {
			return "", err
		}
		return fmt.Sprintf("%s %s %s", *out.ScheduleExpression, *out.Target.Arn, *out.Target.DeadLetterConfig.Arn), nil
	}
	for _, in := range []time.Duration{0, time.Hour, -time.Hour / 2, -time.Hour / 2} { // created, moved on, moved back, the same
		if err := set(in); err != nil {
			t.Fatal(err)
		}
		want := hour.Add(in).UTC().Format("at(2006-01-02T15:04:05)") +
			" arn:aws:lambda:us-east-1:000000000000:function:slipway-advance arn:aws:sqs:us-east-1:000000000000:slipway-timers"
		if got, err := kept(); err != nil || got != want {
			t.Errorf("%s, %v, want %s", got, err, want)
		}
	}
	for range 2 {
		if err := s.Cancel(t.Context(), "run.deadline_1-a"); err != nil {
			t.Error(err)
		}
		if got, err := kept(); call.Code(err) != "ResourceNotFoundException" {
			t.Errorf("canceled, and there is %s, %v", got, err)
		}
	}
	var racers sync.WaitGroup
	for i := range 8 {
		racers.Go(func() {
			if err := set(time.Duration(i) * time.Minute); err != nil {
				t.Error(err)
			}
		})
	}
	racers.Wait()
	if _, err := kept(); err != nil {
		t.Error(err)
	}
}
