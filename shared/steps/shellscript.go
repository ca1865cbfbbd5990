package steps

import "time"

// shellScript runs a script on a delegate (BEHAVIOUR §15.7). An output variable's
// value is the name of the shell variable it is read from, its own by default.
var shellScript = Step{
	Type: "ShellScript", Mode: Task, DefaultTimeout: 10 * time.Minute,
	Fields: append(ignored(),
		Field{Name: "shell", Required: true, Enum: []string{"Bash", "PowerShell"},
			UnsupportedValues: map[string]string{"PowerShell": "shell PowerShell"}},
		Field{Name: "source", Type: Map, Required: true, Fields: []Field{
			{Name: "type", Required: true, Enum: []string{"Inline", "Harness"},
				UnsupportedValues: map[string]string{"Harness": "a script from the file store"}},
			{Name: "spec", Type: Map, Required: true, Fields: []Field{
				{Name: "type"},
				{Name: "script", Required: true},
				{Name: "file"},
				// An old place of the two lists, still found in the wild, never read.
				{Name: "environmentVariables", Type: Variables, Unsupported: "environmentVariables inside source"},
				{Name: "outputVariables", Type: Variables, Unsupported: "outputVariables inside source"},
			}},
		}},
		Field{Name: "executionTarget", Type: Map, Fields: []Field{
			{Name: "host", Unsupported: "executionTarget.host: running a script on another host"},
			{Name: "connectorRef", Unsupported: "executionTarget.connectorRef: running a script on another host"},
			{Name: "workingDirectory", Unsupported: "executionTarget.workingDirectory"},
		}},
		Field{Name: "onDelegate", Type: Bool, Unsupported: "onDelegate: false", Harmless: "true"},
		variables("environmentVariables", true),
		variables("outputVariables", true),
		Field{Name: "outputAlias", Type: Map, Fields: []Field{
			{Name: "key", Required: true},
			{Name: "scope", Required: true, Enum: []string{"Pipeline", "Stage", "StepGroup"}},
		}},
		Field{Name: "includeInfraSelectors", Type: Bool, Unsupported: "includeInfraSelectors", Harmless: "false"},
		selectors(),
	),
}
