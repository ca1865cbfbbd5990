// Package function is what the main of every Lambda function does: it reads the
// settings, builds the ports on AWS, and serves a door, as a function where there
// is a Lambda Runtime API and on $PORT where there is none.
package function

import (
	"log/slog"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"

	"github.com/slipway-cd/slipway/shared/aws/blob"
	"github.com/slipway-cd/slipway/shared/aws/bus"
	"github.com/slipway-cd/slipway/shared/aws/dynamo"
	"github.com/slipway-cd/slipway/shared/aws/schedule"
	"github.com/slipway-cd/slipway/shared/aws/secrets"
	"github.com/slipway-cd/slipway/shared/aws/sfn"
	"github.com/slipway-cd/slipway/shared/clock"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/dispatch"
	"github.com/slipway-cd/slipway/shared/meter"
	"github.com/slipway-cd/slipway/shared/plane"
	"github.com/slipway-cd/slipway/shared/retry"
)

// Settings are the environment that infra/ gives a function. What a function does
// not use is empty.
type Settings struct {
	Table, Bucket, Bus      string
	Machines, Functions     string // prefixes of ARNs, to which the name is added
	Schedules, ScheduleRole string // group; ARN
	ScheduleDLQ             string // ARN
	Secrets, KMSKey         string // prefix of names; ARN or empty
	AdminSecret             string // name behind the prefix
	Account                 string // the deployment's; empty for core.DefaultAccount
	URL                     string // of the API, without a slash at the end
	Version                 string
	DataDays                int // after which what belongs to a run expires, 0 for never
}

// Environment reads the settings.
func Environment() Settings {
	days, _ := strconv.Atoi(os.Getenv("SLIPWAY_DATA_DAYS")) // absent: never
	return Settings{DataDays: days,
		Table: os.Getenv("SLIPWAY_TABLE"), Bucket: os.Getenv("SLIPWAY_BUCKET"), Bus: os.Getenv("SLIPWAY_BUS"),
		Machines: os.Getenv("SLIPWAY_MACHINES"), Functions: os.Getenv("SLIPWAY_FUNCTIONS"),
		Schedules: os.Getenv("SLIPWAY_SCHEDULES"), ScheduleRole: os.Getenv("SLIPWAY_SCHEDULE_ROLE"),
		ScheduleDLQ: os.Getenv("SLIPWAY_SCHEDULE_DLQ"),
		Secrets:     os.Getenv("SLIPWAY_SECRETS"), KMSKey: os.Getenv("SLIPWAY_KMS_KEY"),
		// The port puts the prefix before every name.
		AdminSecret: strings.TrimPrefix(os.Getenv("SLIPWAY_ADMIN_SECRET"), os.Getenv("SLIPWAY_SECRETS")),
		Account:     os.Getenv("SLIPWAY_ACCOUNT"), URL: os.Getenv("SLIPWAY_URL"), Version: os.Getenv("SLIPWAY_VERSION"),
	}
}

// config takes region, credentials and endpoint from the environment, which is
// where Lambda puts them; files and other sources are not looked at.
func config() aws.Config {
	c := aws.Config{
		Region: os.Getenv("AWS_REGION"),
		Credentials: credentials.NewStaticCredentialsProvider(
			os.Getenv("AWS_ACCESS_KEY_ID"), os.Getenv("AWS_SECRET_ACCESS_KEY"), os.Getenv("AWS_SESSION_TOKEN")),
	}
	if endpoint := os.Getenv("AWS_ENDPOINT_URL"); endpoint != "" {
		c.BaseEndpoint = &endpoint
	}
	return c
}

// Ports are the ways to the world on AWS. No client is built before its first call.
func (s Settings) Ports() core.Ports {
	cfg, system := config(), clock.System()
	machines := map[string]string{}
	for _, m := range []string{core.MachinePipeline, core.MachineStage, core.MachineBranch} {
		machines[m] = s.Machines + m
	}
	var store core.Store = dynamo.New(cfg, s.Table, system)
	if s.DataDays > 0 {
		store = plane.Expiring(store, s.DataDays)
	}
	return core.Ports{
		Store:    store,
		Workflow: sfn.New(cfg, machines),
		Bus:      bus.New(cfg, s.Bus, system),
		Secrets:  secrets.New(cfg, s.Secrets, s.KMSKey),
		Schedule: schedule.New(cfg, schedule.Settings{Group: s.Schedules, Functions: s.Functions, Role: s.ScheduleRole,
			DeadLetters: s.ScheduleDLQ, KMSKey: s.KMSKey}, system),
		Blobs: blob.New(cfg, s.Bucket, "blobs/"),
		Clock: system,
		IDs:   clock.NewIDs(system),
	}
}

// Identity are the ports that say who asks: no others are linked with them.
func (s Settings) Identity() core.Ports {
	cfg, system := config(), clock.System()
	return core.Ports{Store: dynamo.New(cfg, s.Table, system), Secrets: secrets.New(cfg, s.Secrets, s.KMSKey), Clock: system, IDs: clock.NewIDs(system)}
}

// Keeping are the ports of what keeps documents and runs nothing: those of Identity,
// the store patient with what may succeed later.
func (s Settings) Keeping() core.Ports {
	p := s.Identity()
	p.Store = retry.Store(p.Store, p.Clock)
	return p
}

// Meter counts what a function uses, as the environment says.
func Meter(p core.Ports) *meter.Meter {
	return metered(meter.New(p.Store, p.Clock, p.IDs.New()))
}

func metered(m *meter.Meter) *meter.Meter {
	m.Each = os.Getenv("SLIPWAY_METER") == "each"
	if mb, err := strconv.ParseInt(os.Getenv("AWS_LAMBDA_FUNCTION_MEMORY_SIZE"), 10, 64); err == nil && mb > 0 {
		m.Memory = mb
	}
	return m
}

// Plane is the control plane on AWS, from the environment.
func Plane() *plane.Plane {
	s := Environment()
	p := plane.New(s.Ports(), pace())
	p.Launch.BaseURL = s.URL
	p.Launch.HistoryEdge, _ = strconv.Atoi(os.Getenv("SLIPWAY_HISTORY_EDGE")) // absent: as DESIGN says
	p.Launch.MaxRuns, _ = strconv.Atoi(os.Getenv("SLIPWAY_MAX_RUNS"))         // absent: no limit
	metered(p.Meter)
	return p
}

// pace is how often delegates call: as SLIPWAY_PACE says, a time such as "1s",
// where waiting is dearer than calls. What is no time, and any longer one, leaves
// the usual pace.
func pace() dispatch.Pace {
	p := dispatch.DefaultPace()
	if d, err := time.ParseDuration(os.Getenv("SLIPWAY_PACE")); err == nil {
		p = p.Calling(d)
	}
	return p
}

// log writes JSON lines to where CloudWatch takes them from.
func log() *slog.Logger {
	var level slog.Level // info
	_ = level.UnmarshalText([]byte(os.Getenv("SLIPWAY_LOG_LEVEL")))
	return slog.New(slog.NewJSONHandler(os.Stderr, &slog.HandlerOptions{Level: level}))
}
