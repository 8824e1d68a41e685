// SPDX-License-Identifier: MIT

//go:build ignore

// A sink: counts exchanges by host and status in a file that is replaced as a whole.
//
//	go build count_hosts.go && ./count_hosts FILE
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/url"
	"os"
)

// A record of a batch, the end of a batch, or another call or word of Tapline.
type message struct {
	Tapline string `json:"tapline"`
	Number  uint64 `json:"n"`
	Write   *int   `json:"write"`
	Flush   bool   `json:"flush"`
	Record  *struct {
		Request struct {
			URL any `json:"url"` // An object if it is no UTF-8.
		} `json:"request"`
		Response struct {
			Status int `json:"status"`
		} `json:"response"`
	} `json:"record"`
}

func main() {
	log.SetFlags(0) // Standard error is Tapline's log.
	if len(os.Args) != 2 {
		log.Fatal("usage: count_hosts FILE")
	}
	messages, answers := json.NewDecoder(bufio.NewReader(os.Stdin)), json.NewEncoder(os.Stdout)
	counts, batch := map[string]int{}, []string{}
	for {
		var next message
		if err := messages.Decode(&next); err == io.EOF || next.Tapline == "end" {
			return
		} else if err != nil {
			log.Fatal(err)
		}
		answer := map[string]any{"n": next.Number, "ok": true}
		switch {
		case next.Tapline == "hello":
			answers.Encode(map[string]any{
				"tapline": "hello", "protocol": 1, "name": "count-hosts", "version": "1.0",
				"kinds": []string{"sink"}, "capabilities": []string{"flush"}})
			continue
		case next.Record != nil:
			batch = append(batch, key(&next))
			continue
		case next.Write != nil:
			for _, name := range batch {
				counts[name]++
			}
			batch = batch[:0]
		case next.Flush:
			if err := replace(os.Args[1], counts); err != nil {
				answer = map[string]any{"n": next.Number, "error": err.Error()}
			}
		}
		answers.Encode(answer)
	}
}

// key returns what a record is counted as.
func key(next *message) string {
	text, _ := next.Record.Request.URL.(string)
	host := ""
	if address, err := url.Parse(text); err == nil {
		host = address.Hostname()
	}
	if next.Record.Response.Status == 0 {
		return host + " none"
	}
	return fmt.Sprintf("%s %d", host, next.Record.Response.Status)
}

func replace(path string, counts map[string]int) error {
	text, err := json.MarshalIndent(counts, "", " ")
	if err == nil {
		err = os.WriteFile(path+".new", append(text, '\n'), 0o600)
	}
	if err == nil {
		err = os.Rename(path+".new", path)
	}
	return err
}
