package stack

import (
	"github.com/aws/aws-cdk-go/awscdk/v2/awsiam"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsscheduler"
	"github.com/aws/jsii-runtime-go"
)

// addSchedules makes the group of the timers, and the role that fires them.
func (s *stack) addSchedules() {
	awsscheduler.NewCfnScheduleGroup(s.Stack, jsii.String("Schedules"), &awsscheduler.CfnScheduleGroupProps{Name: &s.Name})
	grants := []grant{
		{"invoke", []string{"lambda:InvokeFunction"}, []string{s.functionARN("advance")}, nil},
		{"bury", []string{"sqs:SendMessage"}, []string{*s.deadLetters.QueueArn()}, nil},
	}
	if s.key != nil { // a timer's payload is encrypted with it
		grants = append(grants, grant{"key", []string{"kms:Decrypt"}, []string{s.KMSKey}, nil})
	}
	s.scheduleRole = s.role("ScheduleRole", "fires Slipway's timers", "scheduler.amazonaws.com", grants,
		map[string]any{"StringEquals": map[string]any{"aws:SourceAccount": *s.Account()},
			"ArnLike": map[string]any{"aws:SourceArn": s.arn("scheduler", "schedule-group/"+s.Name)}})
}

// role makes a role that one service may take on and that may do what is listed,
// and nothing that a construct would add. Roles have no names of their own: they
// are the account's, not the region's, and a second region would be refused.
func (s *stack) role(id, does, service string, grants []grant, conditions map[string]any) awsiam.IRole {
	principal := awsiam.NewServicePrincipal(&service, &awsiam.ServicePrincipalOpts{Conditions: &conditions})
	var statements []awsiam.PolicyStatement
	for _, g := range grants {
		props := &awsiam.PolicyStatementProps{Sid: sid(g.why), Actions: text(g.actions...), Resources: text(g.resources...)}
		if g.conditions != nil {
			props.Conditions = &g.conditions
		}
		statements = append(statements, awsiam.NewPolicyStatement(props))
	}
	role := awsiam.NewRole(s.Stack, &id, &awsiam.RoleProps{
		AssumedBy:   principal,
		Description: jsii.String("What " + does + " (" + s.Name + ")"),
		InlinePolicies: &map[string]awsiam.PolicyDocument{
			"may": awsiam.NewPolicyDocument(&awsiam.PolicyDocumentProps{Statements: &statements, Minimize: jsii.Bool(false)}),
		},
	})
	return role.WithoutPolicyUpdates(nil)
}
