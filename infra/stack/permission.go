package stack

import "strings"

// grant is one statement of a role's policy.
type grant struct {
	why        string // a word, which becomes the statement's id
	actions    []string
	resources  []string
	conditions map[string]any
}

func sid(why string) *string {
	id := strings.ToUpper(why[:1]) + why[1:]
	return &id
}

// grants is all that a function may do. Each is what the function's code calls,
// no more: package shared/aws has the calls, the doors have who makes them.
func (s *stack) grants(function string) []grant {
	list := []grant{
		{"log", []string{"logs:CreateLogStream", "logs:PutLogEvents"}, []string{s.arn("logs", "log-group:"+s.logGroup(function)+":*")}, nil},
	}
	if s.Tracing { // X-Ray has no resources to name
		list = append(list, grant{"trace", []string{"xray:PutTraceSegments", "xray:PutTelemetryRecords"}, []string{"*"}, nil})
	}
	if s.key != nil {
		actions := []string{"kms:Decrypt", "kms:DescribeKey"}
		if function != "authorizer" {
			actions = append(actions, "kms:Encrypt", "kms:GenerateDataKey", "kms:ReEncryptFrom", "kms:ReEncryptTo")
		}
		list = append(list, grant{"key", actions, []string{s.KMSKey}, nil})
	}
	if function == "authorizer" {
		return append(list,
			grant{"read", []string{"dynamodb:GetItem"}, []string{*s.table.TableArn()}, nil},
			grant{"adminToken", []string{"secretsmanager:GetSecretValue"}, []string{s.secret("admin-token-??????")}, nil})
	}
	list = append(list, s.keeping()...)
	if function == "catalogue" { // it takes secrets' values and never gives them back
		return append(list, grant{"keepSecrets", append([]string{"secretsmanager:DeleteSecret"}, storeSecret...), []string{s.secret("*/secret/*"), s.secret("=sha256/*")}, nil})
	}
	list = append(list, s.executing()...)
	switch function {
	case "delegate":
		// Values of secrets go to delegates with their tasks, secret outputs come back.
		list = append(list,
			grant{"beat", []string{"states:SendTaskHeartbeat"}, s.machineARNs(), nil},
			grant{"readSecrets", []string{"secretsmanager:GetSecretValue"}, []string{s.secret("*/secret/*"), s.secret("*/output/*"), s.secret("=sha256/*")}, nil},
			grant{"keepOutputs", storeSecret, []string{s.secret("*/output/*"), s.secret("=sha256/*")}, nil})
	case "api":
		// It signs approval links, and makes the key on first use.
		list = append(list,
			grant{"linkKey", append([]string{"secretsmanager:GetSecretValue"}, storeSecret...), []string{s.secret("*/link-key/*")}, nil})
	case "approve":
		list = append(list,
			grant{"linkKey", []string{"secretsmanager:GetSecretValue"}, []string{s.secret("*/link-key/*")}, nil})
	case "advance":
		// To see whether an execution that has failed has been replaced.
		list = append(list, s.burying(),
			grant{"describe", []string{"states:DescribeExecution"}, s.executionARNs(), nil})
	case "relay":
		list = append(list, s.burying(),
			grant{"stream", []string{"dynamodb:DescribeStream", "dynamodb:GetRecords", "dynamodb:GetShardIterator"}, []string{*s.table.TableStreamArn()}, nil},
			// DynamoDB has no resource to name for it, and an event source mapping asks for it.
			grant{"listStreams", []string{"dynamodb:ListStreams"}, []string{"*"}, nil})
	}
	return list
}

// storeSecret is what package secrets does to store a value.
var storeSecret = []string{"secretsmanager:CreateSecret", "secretsmanager:UpdateSecret", "secretsmanager:RestoreSecret"}

// keeping is for whoever stores.
func (s *stack) keeping() []grant {
	table := *s.table.TableArn()
	return []grant{
		// Transactions need no action of their own; conditions are part of the puts.
		{"table", []string{"dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:DeleteItem", "dynamodb:BatchWriteItem", "dynamodb:Query"}, []string{table}, nil},
		{"index", []string{"dynamodb:Query"}, []string{table + "/index/" + tableIndex}, nil},
	}
}

// executing is for whoever applies events: to execute what they command (package
// journal).
func (s *stack) executing() []grant {
	return []grant{
		{"start", []string{"states:StartExecution", "states:SendTaskSuccess"}, s.machineARNs(), nil},
		{"publish", []string{"events:PutEvents"}, []string{*s.bus.EventBusArn()}, nil},
		{"timers", []string{"scheduler:CreateSchedule", "scheduler:UpdateSchedule", "scheduler:DeleteSchedule"}, []string{s.arn("scheduler", "schedule/"+s.Name+"/*")}, nil},
		{"timerRole", []string{"iam:PassRole"}, []string{*s.scheduleRole.RoleArn()},
			map[string]any{"StringEquals": map[string]any{"iam:PassedToService": "scheduler.amazonaws.com"}}},
		{"blobs", []string{"s3:GetObject", "s3:PutObject"}, []string{*s.bucket.BucketArn() + "/" + blobs + "*"}, nil},
		// Without it S3 says of what is absent that it is forbidden.
		{"absentBlobs", []string{"s3:ListBucket"}, []string{*s.bucket.BucketArn()}, nil},
	}
}

// burying is for functions that something invokes without waiting.
func (s *stack) burying() grant {
	return grant{"bury", []string{"sqs:SendMessage"}, []string{*s.deadLetters.QueueArn()}, nil}
}

func (s *stack) secret(name string) string { return s.arn("secretsmanager", "secret:"+s.Name+"/"+name) }

func (s *stack) machineARNs() (list []string) {
	for _, m := range machineNames {
		list = append(list, s.machineARN(m))
	}
	return list
}

func (s *stack) executionARNs() (list []string) {
	for _, m := range machineNames {
		list = append(list, s.arn("states", "execution:"+s.named(m)+":*"))
	}
	return list
}
