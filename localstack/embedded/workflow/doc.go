// Package workflow is core.Workflow on one machine: it runs state machines with
// package asl, saves every step before it shows, and continues after a crash.
package workflow
