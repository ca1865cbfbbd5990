package target

import (
	"crypto/sha1" //nolint:gosec // the key is documented as SHA-1; nothing is kept safe by it
	"encoding/hex"
	"slices"
	"strings"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/expr"
)

// unique are the fields that tell infrastructures of a type apart (BEHAVIOUR §3.4).
// Of other types all scalar fields do, in the order of their names.
var unique = map[string][]string{
	"KubernetesDirect":    {"connectorRef", "namespace"},
	"KubernetesGcp":       {"connectorRef", "namespace", "cluster"},
	"KubernetesAws":       {"connectorRef", "namespace", "cluster"},
	"KubernetesRancher":   {"connectorRef", "namespace", "cluster"},
	"KubernetesAzure":     {"connectorRef", "namespace", "subscriptionId", "resourceGroup", "cluster"},
	"ECS":                 {"connectorRef", "region", "cluster"},
	"ServerlessAwsLambda": {"connectorRef", "region", "stage"},
	"AwsLambda":           {"connectorRef", "region"},
	"AWS_SAM":             {"connectorRef", "region"},
	"Asg":                 {"connectorRef", "region", "baseAsgName"},
}

// KeyFields are the fields of the infrastructure whose values its key is made of, in
// their order; those it lacks are left out.
func KeyFields(in *core.Infrastructure) []string {
	fields, ok := unique[in.Type]
	if !ok {
		for k, v := range in.Spec {
			switch v.(type) {
			case string, float64, bool, int64, int:
				if k != "releaseName" { // it is made of the key
					fields = append(fields, k)
				}
			}
		}
		slices.Sort(fields)
		return fields
	}
	return slices.DeleteFunc(slices.Clone(fields), func(k string) bool { return in.Spec[k] == nil })
}

// ShortKey is how many characters of a key its short form has.
const ShortKey = 6

// Key is INFRA_KEY: the same for the same service in the same place.
func Key(service, environment string, values []any) string {
	parts := []string{service, environment}
	for _, v := range values {
		parts = append(parts, expr.Format(v))
	}
	sum := sha1.Sum([]byte(strings.Join(parts, "-"))) //nolint:gosec // see the import
	return hex.EncodeToString(sum[:])
}
