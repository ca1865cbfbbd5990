package standin

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/cloudformation"
	"github.com/aws/aws-sdk-go-v2/service/cloudformation/types"
	"github.com/aws/aws-sdk-go-v2/service/s3"
)

// What LocalStack knows: one account, and any credentials.
const (
	account = "000000000000"
	region  = "us-east-1"
)

const (
	poll = 200 * time.Millisecond
	// template's name in CDK's bucket: it is too large to be sent.
	templateKey = "template.json"
)

// Deploy creates the stack of a synthesised assembly at a stand-in's endpoint and
// returns its outputs, with the region and the endpoint besides.
func Deploy(ctx context.Context, dir, endpoint string) (map[string]string, error) {
	a, err := read(dir)
	if err != nil {
		return nil, err
	}
	if a.template, err = Adapt(a.template, endpoint); err != nil {
		return nil, err
	}
	cfg := aws.Config{Region: region, BaseEndpoint: &endpoint, Credentials: credentials.NewStaticCredentialsProvider("test", "test", "")}
	where, err := upload(ctx, cfg, a)
	if err != nil {
		return nil, err
	}
	client := cloudformation.NewFromConfig(cfg)
	_, err = client.CreateStack(ctx, &cloudformation.CreateStackInput{
		StackName: &a.name, TemplateURL: aws.String(endpoint + "/" + where + "/" + templateKey),
		Capabilities: []types.Capability{types.CapabilityCapabilityIam, types.CapabilityCapabilityNamedIam},
		OnFailure:    types.OnFailureDoNothing,
	})
	if err != nil {
		return nil, err
	}
	return outputs(ctx, client, a.name)
}

// upload puts the assets and the template where the template expects them.
func upload(ctx context.Context, cfg aws.Config, a assembly) (where string, err error) {
	client := s3.NewFromConfig(cfg, func(o *s3.Options) { o.UsePathStyle = true })
	made := map[string]bool{}
	put := func(bucket, key string, body []byte) error {
		if !made[bucket] {
			if _, err := client.CreateBucket(ctx, &s3.CreateBucketInput{Bucket: &bucket}); err != nil {
				return err
			}
			made[bucket] = true
		}
		_, err := client.PutObject(ctx, &s3.PutObjectInput{Bucket: &bucket, Key: &key, Body: bytes.NewReader(body)})
		return err
	}
	for _, x := range a.assets {
		body, err := x.content()
		if err != nil {
			return "", err
		}
		for _, d := range x.Destinations {
			where = strings.NewReplacer("${AWS::AccountId}", account, "${AWS::Region}", region, "${AWS::Partition}", "aws").Replace(d.Bucket)
			if err := put(where, d.Key, body); err != nil {
				return "", err
			}
		}
	}
	if where == "" {
		return "", errors.New("the stack has no assets: it was not synthesised by infra")
	}
	return where, put(where, templateKey, a.template)
}

// outputs waits for the stack and reads them; when it fails, the error says of
// which resources.
func outputs(ctx context.Context, client *cloudformation.Client, name string) (map[string]string, error) {
	tick := time.NewTicker(poll)
	defer tick.Stop()
	for {
		out, err := client.DescribeStacks(ctx, &cloudformation.DescribeStacksInput{StackName: &name})
		if err != nil {
			return nil, err
		}
		if len(out.Stacks) == 1 {
			switch st := out.Stacks[0]; {
			case st.StackStatus == types.StackStatusCreateComplete:
				values := map[string]string{}
				for _, o := range st.Outputs {
					values[aws.ToString(o.OutputKey)] = aws.ToString(o.OutputValue)
				}
				return values, nil
			case !strings.HasSuffix(string(st.StackStatus), "_IN_PROGRESS"):
				return nil, fmt.Errorf("the stack is %s: %s", st.StackStatus, failures(ctx, client, name))
			}
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-tick.C:
		}
	}
}

func failures(ctx context.Context, client *cloudformation.Client, name string) string {
	out, err := client.DescribeStackEvents(ctx, &cloudformation.DescribeStackEventsInput{StackName: &name})
	if err != nil {
		return err.Error()
	}
	var list []string
	for _, e := range out.StackEvents {
		if strings.HasSuffix(string(e.ResourceStatus), "_FAILED") {
			list = append(list, aws.ToString(e.LogicalResourceId)+" "+aws.ToString(e.ResourceType)+": "+aws.ToString(e.ResourceStatusReason))
		}
	}
	return strings.Join(list, "\n  ")
}
