package awstest

import (
	"context"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/scheduler"
)

// ScheduleGroup makes a group for schedules and returns its name; what is in it
// goes with it.
func ScheduleGroup(t testing.TB, cfg aws.Config) string {
	t.Helper()
	client := scheduler.NewFromConfig(cfg)
	name := aws.String(Name("slipway"))
	_, err := client.CreateScheduleGroup(t.Context(), &scheduler.CreateScheduleGroupInput{Name: name})
	must(t, "making a schedule group", err)
	cleanup(t, "a schedule group", func(ctx context.Context) error {
		_, err := client.DeleteScheduleGroup(ctx, &scheduler.DeleteScheduleGroupInput{Name: name})
		return err
	})
	return *name
}
