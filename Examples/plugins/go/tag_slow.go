// SPDX-License-Identifier: MIT

//go:build ignore

// A stage: tags slow exchanges, and drops what a health check asks.
//
//	go build tag_slow.go
package main

import (
	"bufio"
	"encoding/json"
	"io"
	"log"
	"os"
	"strings"
)

// A call, or a word of Tapline. What is not decoded here returns unchanged.
type call struct {
	Tapline string                     `json:"tapline"`
	Number  uint64                     `json:"n"`
	Record  map[string]json.RawMessage `json:"record"`
}

func main() {
	log.SetFlags(0) // Standard error is Tapline's log.
	in, out := bufio.NewReaderSize(os.Stdin, 1<<16), bufio.NewWriterSize(os.Stdout, 1<<16)
	answers := json.NewEncoder(out)
	answers.SetEscapeHTML(false)
	for {
		// Answers are sent together while calls wait.
		if in.Buffered() == 0 {
			out.Flush()
		}
		line, err := in.ReadBytes('\n')
		if err == io.EOF {
			return
		}
		var next call
		if err == nil {
			err = json.Unmarshal(line, &next)
		}
		if err != nil {
			log.Fatal(err)
		}
		switch next.Tapline {
		case "hello":
			answers.Encode(map[string]any{
				"tapline": "hello", "protocol": 1, "name": "tag-slow", "version": "1.0",
				"kinds": []string{"stage"}})
		case "end":
			out.Flush()
			return
		default:
			answer := decide(next.Record)
			answer["n"] = next.Number
			answers.Encode(answer)
		}
	}
}

// decide returns the answer to a record: keep it, drop it, or this record in its place.
func decide(record map[string]json.RawMessage) map[string]any {
	var request struct {
		URL any `json:"url"` // An object if it is no UTF-8.
	}
	var timing struct {
		Total float64 `json:"total_ms"`
	}
	tags := map[string]string{}
	for key, target := range map[string]any{"request": &request, "timing": &timing, "tags": &tags} {
		if record[key] != nil && json.Unmarshal(record[key], target) != nil {
			return map[string]any{"error": "cannot read '" + key + "'"}
		}
	}
	if url, _ := request.URL.(string); strings.HasSuffix(url, "/health") {
		return map[string]any{"drop": "health check"}
	}
	if timing.Total < 200 {
		return map[string]any{"keep": true}
	}
	tags["slow"] = "yes"
	record["tags"], _ = json.Marshal(tags)
	return map[string]any{"record": record}
}
