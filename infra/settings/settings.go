// Package settings reads what a deployment is told, key by key, and refuses what
// cannot work with a word on how to mend it. It knows nothing of CDK.
package settings

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Settings are the parameters of a deployment. Parse makes them.
type Settings struct {
	Name      string // of the stack; every resource's name begins with it
	AccountID string // of the account in Harness's routes, "" for default
	Region    string // "" for the one of the credentials' profile
	Version   string // of Slipway

	Definitions string // folder of the state machines' definitions
	Code        string // folder with <function>/bootstrap for each of Functions
	Arch        string // arm64 or x86_64

	URL         string // of the API; "" for AWS's own, {api} stands for the API's id
	Domain      string // custom domain of the API, "" for none
	Certificate string // ARN of its certificate, in the same region
	Zone        string // id of the Route 53 zone that the domain is in; makes certificate and records
	ZoneName    string // that zone's name

	RetentionDays int    // of log groups
	DataDays      int    // after which everything of a run is deleted; 0 for never
	MaxRuns       int    // how many runs go on at once; 0 for no limit
	LogLevel      string // debug, info, warn, error
	Tracing       bool   // X-Ray, 5 %
	KMSKey        string // ARN of the customer's key, "" for keys that AWS owns
	AlarmEmail    string // "" for only the alarm on dead letters, which tells nobody
	Dashboard     bool
	TableName     string // a restored table that takes the place of the stack's own, "" for none
	TableStream   string // ARN of its stream
	DestroyData   bool   // table and bucket go with the stack
}

// Functions are the folders below functions/ that are deployed.
var Functions = []string{"api", "catalogue", "authorizer", "delegate", "advance", "relay", "approve"}

// MinDataDays is the shortest DataDays: a run lives up to 300 days and needs its
// plan to the end.
const MinDataDays = 310

// retentions are what CloudWatch Logs takes.
var retentions = []int{1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653}

// key is one parameter: how it is read, and what it is for.
type key struct {
	help string
	set  func(s *Settings, value string) error
}

var keys = map[string]key{
	"name":          {"the stack's name (slipway)", pattern(func(s *Settings) *string { return &s.Name }, `[a-z][a-z0-9-]{0,18}[a-z0-9]`, "2 to 20 lower-case letters, digits and -, beginning with a letter and not ending in -")},
	"accountId":     {"the account's identifier, as Harness's clients send it (default)", pattern(func(s *Settings) *string { return &s.AccountID }, `[a-zA-Z0-9_-]{1,64}`, "letters, digits, _ and -, at most 64")},
	"region":        {"the AWS region (the profile's)", pattern(func(s *Settings) *string { return &s.Region }, `[a-z]{2}(-[a-z]+)+-[0-9]`, "a region's code, such as eu-central-1")},
	"version":       {"what is deployed (dev)", pattern(func(s *Settings) *string { return &s.Version }, `[\w.+:/=@-]{1,128}`, "letters, digits and ._+:/=@-, at most 128")},
	"code":          {"folder of the built functions (../dist/functions/ARCH)", text(func(s *Settings) *string { return &s.Code })},
	"arch":          {"arm64 or x86_64 (arm64)", oneOf(func(s *Settings) *string { return &s.Arch }, "arm64", "x86_64")},
	"url":           {"the API's URL when it is neither AWS's nor a domain's; {api} stands for the API's id", pattern(func(s *Settings) *string { return &s.URL }, `https?://[^\s/]+(/[^\s]*[^\s/])?`, "http:// or https://, a host, and no slash at the end")},
	"domain":        {"custom domain of the API", pattern(func(s *Settings) *string { return &s.Domain }, `([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,}`, "a host name in lower case, such as slipway.example.com")},
	"certificate":   {"ARN of the domain's certificate in ACM, in the same region", pattern(func(s *Settings) *string { return &s.Certificate }, `arn:aws[a-z-]*:acm:[a-z0-9-]+:\d{12}:certificate/[\w-]+`, "the ARN of an ACM certificate: arn:aws:acm:REGION:ACCOUNT:certificate/ID")},
	"zone":          {"id of the Route 53 zone in which certificate and records are made", pattern(func(s *Settings) *string { return &s.Zone }, `Z[A-Z0-9]{5,31}`, "a hosted zone's id, such as Z0123456789ABCDEFGHIJ")},
	"zoneName":      {"that zone's name (the domain without its first part)", pattern(func(s *Settings) *string { return &s.ZoneName }, `([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,}`, "a domain's name, such as example.com")},
	"retentionDays": {"days that logs are kept (30)", number(func(s *Settings) *int { return &s.RetentionDays }, retained)},
	"dataDays":      {"days after which everything of a run is deleted (0: never)", number(func(s *Settings) *int { return &s.DataDays }, dataDays)},
	"maxRuns":       {"how many runs go on at once, the others wait for their turn (0: no limit)", number(func(s *Settings) *int { return &s.MaxRuns }, maxRuns)},
	"logLevel":      {"debug, info, warn or error (info)", oneOf(func(s *Settings) *string { return &s.LogLevel }, "debug", "info", "warn", "error")},
	"tracing":       {"X-Ray (true)", flag(func(s *Settings) *bool { return &s.Tracing })},
	"kmsKey":        {"ARN of a KMS key of yours (AWS's own keys)", pattern(func(s *Settings) *string { return &s.KMSKey }, `arn:aws[a-z-]*:kms:[a-z0-9-]+:\d{12}:key/[\w-]+`, "the ARN of a key, not of an alias: arn:aws:kms:REGION:ACCOUNT:key/ID")},
	"alarmEmail":    {"who is told of alarms (nobody)", pattern(func(s *Settings) *string { return &s.AlarmEmail }, `[^\s@]+@[^\s@]+\.[^\s@]+`, "an e-mail address")},
	"dashboard":     {"a dashboard (true)", flag(func(s *Settings) *bool { return &s.Dashboard })},
	"table":         {"name of a restored table that takes the place of the stack's own", pattern(func(s *Settings) *string { return &s.TableName }, `[\w.-]{3,255}`, "a table's name")},
	"tableStream":   {"ARN of that table's stream", pattern(func(s *Settings) *string { return &s.TableStream }, `arn:aws[a-z-]*:dynamodb:[a-z0-9-]+:\d{12}:table/[\w.-]+/stream/[\w.:-]+`, "a stream's ARN: arn:aws:dynamodb:REGION:ACCOUNT:table/NAME/stream/TIME")},
	"destroyData":   {"let table and bucket go with the stack (false)", flag(func(s *Settings) *bool { return &s.DestroyData })},
}

// Parse reads settings from CDK's context. Keys with : or / are CDK's own. The
// error names everything that is wrong, a line each.
func Parse(context map[string]any) (Settings, error) {
	s := Settings{Name: "slipway", Definitions: filepath.Join("..", "statemachines"), Version: "dev", Arch: "arm64", RetentionDays: 30, LogLevel: "info", Tracing: true, Dashboard: true}
	var wrong []string
	for _, name := range slices.Sorted(maps.Keys(context)) {
		if strings.ContainsAny(name, ":/") {
			continue
		}
		value := strings.TrimSpace(fmt.Sprint(context[name]))
		k, ok := keys[name]
		switch {
		case !ok:
			wrong = append(wrong, fmt.Sprintf("%s: there is no such parameter; there are %s", name, strings.Join(Keys(), ", ")))
		case value != "":
			if err := k.set(&s, value); err != nil {
				wrong = append(wrong, fmt.Sprintf("%s=%s: %v", name, value, err))
			}
		}
	}
	s.fill()
	wrong = append(wrong, s.contradictions()...)
	if wrong == nil {
		return s, nil
	}
	return s, fmt.Errorf("the parameters do not fit:\n  %s", strings.Join(wrong, "\n  "))
}

// Keys are the names of all parameters, sorted.
func Keys() []string { return slices.Sorted(maps.Keys(keys)) }

// Help says what a parameter is for, with its default in brackets.
func Help(name string) string { return keys[name].help }

// fill sets what follows from the rest.
func (s *Settings) fill() {
	if s.Code == "" {
		s.Code = filepath.Join("..", "dist", "functions", s.Arch)
	}
	if s.Zone != "" && s.ZoneName == "" {
		_, s.ZoneName, _ = strings.Cut(s.Domain, ".")
	}
}

// contradictions are settings that are right each but not together.
func (s *Settings) contradictions() (wrong []string) {
	add := func(bad bool, format string, args ...any) {
		if bad {
			wrong = append(wrong, fmt.Sprintf(format, args...))
		}
	}
	add(s.Domain != "" && s.Certificate == "" && s.Zone == "", "domain: give its certificate (an ARN), or the zone in which one can be made")
	add(s.Domain == "" && (s.Certificate != "" || s.Zone != "" || s.ZoneName != ""), "certificate, zone and zoneName are a domain's: give domain")
	add(s.Certificate != "" && s.Zone != "", "certificate and zone: give one; with a zone a certificate is made")
	add((s.TableName == "") != (s.TableStream == ""), "table and tableStream: give both")
	add(s.TableStream != "" && !strings.Contains(s.TableStream, "/"+s.TableName+"/"), "tableStream is not of the table %s", s.TableName)
	add(s.Domain != "" && s.URL != "", "domain and url: give one")
	add(s.Zone != "" && s.Domain != s.ZoneName && !strings.HasSuffix(s.Domain, "."+s.ZoneName), "zoneName: %s is not in the zone %s", s.Domain, s.ZoneName)
	for what, arn := range map[string]string{"certificate": s.Certificate, "kmsKey": s.KMSKey} {
		parts := strings.Split(arn, ":")
		add(len(parts) > 3 && s.Region != "" && parts[3] != s.Region, "%s is in %s, and the stack in %s: it takes one there", what, part(parts, 3), s.Region)
	}
	for _, f := range Functions {
		file := filepath.Join(s.Code, f, "bootstrap")
		info, err := os.Stat(file)
		add(err != nil || !info.Mode().IsRegular(), "code: there is no %s: build the functions with infra/build, or give code=DIR", file)
	}
	slices.Sort(wrong)
	return wrong
}

func part(parts []string, n int) string {
	if n < len(parts) {
		return parts[n]
	}
	return ""
}

func text(field func(*Settings) *string) func(*Settings, string) error {
	return func(s *Settings, value string) error {
		*field(s) = value
		return nil
	}
}

func pattern(field func(*Settings) *string, rule, says string) func(*Settings, string) error {
	re := regexp.MustCompile(`^(?:` + rule + `)$`)
	return func(s *Settings, value string) error {
		if !re.MatchString(value) {
			return fmt.Errorf("must be %s", says)
		}
		*field(s) = value
		return nil
	}
}

func oneOf(field func(*Settings) *string, values ...string) func(*Settings, string) error {
	return func(s *Settings, value string) error {
		if !slices.Contains(values, value) {
			return fmt.Errorf("must be one of %s", strings.Join(values, ", "))
		}
		*field(s) = value
		return nil
	}
}

func flag(field func(*Settings) *bool) func(*Settings, string) error {
	return func(s *Settings, value string) error {
		switch value {
		case "true", "false":
			*field(s) = value == "true"
			return nil
		}
		return fmt.Errorf("must be true or false")
	}
}

func number(field func(*Settings) *int, check func(int) error) func(*Settings, string) error {
	return func(s *Settings, value string) error {
		n, err := strconv.Atoi(value)
		if err != nil {
			return fmt.Errorf("must be a whole number")
		}
		*field(s) = n
		return check(n)
	}
}

func retained(n int) error {
	if slices.Contains(retentions, n) {
		return nil
	}
	return fmt.Errorf("must be what CloudWatch Logs takes: one of %s", strings.Trim(fmt.Sprint(retentions), "[]"))
}

// maxWaiting is what the line of runs has room for.
const maxWaiting = 1000

func maxRuns(n int) error {
	if n >= 0 && n <= maxWaiting {
		return nil
	}
	return fmt.Errorf("must be 0 to %d", maxWaiting)
}

func dataDays(n int) error {
	if n == 0 || n >= MinDataDays {
		return nil
	}
	return fmt.Errorf("must be 0 or at least %d: a run lives up to 300 days and needs its plan to the end", MinDataDays)
}
