package awstest

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
)

// Role is a role that LocalStack takes for everything.
const Role = "arn:aws:iam::000000000000:role/slipway-test"

// Archive builds the command of a package for this machine, where LocalStack runs
// functions, and returns it as a function's archive.
func Archive(pkg string) ([]byte, error) {
	dir, err := os.MkdirTemp("", "slipway-function-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	file := filepath.Join(dir, "bootstrap")
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "go", "build", "-tags", "lambda.norpc", "-trimpath", "-ldflags", "-s -w", "-o", file, pkg)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("building %s: %w: %s", pkg, err, out)
	}
	body, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return zipped("bootstrap", body)
}

func zipped(name string, body []byte) ([]byte, error) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	h := &zip.FileHeader{Name: name, Method: zip.Deflate}
	h.SetMode(fs.FileMode(0o755))
	w, err := z.CreateHeader(h)
	if err == nil {
		_, err = w.Write(body)
	}
	if err == nil {
		err = z.Close()
	}
	return b.Bytes(), err
}

// Function makes a function of an archive and returns its ARN once it can be invoked.
func Function(t testing.TB, cfg aws.Config, archive []byte, env map[string]string) string {
	t.Helper()
	client := lambda.NewFromConfig(cfg)
	name := aws.String(Name("slipway"))
	arch := types.ArchitectureX8664
	if runtime.GOARCH == "arm64" {
		arch = types.ArchitectureArm64
	}
	out, err := client.CreateFunction(t.Context(), &lambda.CreateFunctionInput{
		FunctionName: name, Role: aws.String(Role), Handler: aws.String("bootstrap"), Runtime: types.RuntimeProvidedal2023,
		Architectures: []types.Architecture{arch}, Timeout: aws.Int32(29), Code: &types.FunctionCode{ZipFile: archive},
		Environment: &types.Environment{Variables: env},
	})
	must(t, "making a function", err)
	cleanup(t, "a function", func(ctx context.Context) error {
		_, err := client.DeleteFunction(ctx, &lambda.DeleteFunctionInput{FunctionName: name})
		return err
	})
	await(t, "the function", func() bool {
		out, err := client.GetFunctionConfiguration(t.Context(), &lambda.GetFunctionConfigurationInput{FunctionName: name})
		return err == nil && out.State == types.StateActive
	})
	return *out.FunctionArn
}
