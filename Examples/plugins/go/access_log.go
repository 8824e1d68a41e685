// SPDX-License-Identifier: MIT

//go:build ignore

// A source: reads an access log in the combined format, and sends a record for each line.
//
//	go build access_log.go && ./access_log FILE HOST
package main

import (
	"bufio"
	"encoding/json"
	"log"
	"os"
	"regexp"
	"strconv"
	"time"
)

var format = regexp.MustCompile(`^\S+ \S+ \S+ \[([^]]+)\] "(\S+) (\S+) ([^"]*)" (\d{3}) (\d+|-)`)

type object = map[string]any

func main() {
	log.SetFlags(0) // Standard error is Tapline's log.
	if len(os.Args) != 3 {
		log.Fatal("usage: access_log FILE HOST")
	}
	in, out := bufio.NewReader(os.Stdin), bufio.NewWriter(os.Stdout)
	if _, err := in.ReadBytes('\n'); err != nil { // Tapline's hello.
		log.Fatal(err)
	}
	messages := json.NewEncoder(out)
	messages.Encode(object{
		"tapline": "hello", "protocol": 1, "name": "access-log", "version": "1.0",
		"kinds": []string{"source"}})
	out.Flush()

	// The answers are read beside the records, since Tapline stops reading while many are unread.
	taken := make(chan int)
	go count(in, taken)
	send(messages, os.Args[1], os.Args[2])
	messages.Encode(object{"tapline": "end"})
	out.Flush()
	log.Printf("%d records were taken", <-taken)
}

// send writes a record for each line of a log.
func send(messages *json.Encoder, path, host string) {
	file, err := os.Open(path)
	if err != nil {
		log.Fatal(err)
	}
	defer file.Close()
	number := 0
	for lines := bufio.NewScanner(file); lines.Scan(); {
		found := format.FindStringSubmatch(lines.Text())
		if found == nil {
			log.Print("a line is no request")
			continue
		}
		started, err := time.Parse("02/Jan/2006:15:04:05 -0700", found[1])
		if err != nil {
			log.Print("a line has no time")
			continue
		}
		status, _ := strconv.Atoi(found[5])
		size, _ := strconv.Atoi(found[6]) // 0 for '-'.
		number++
		messages.Encode(object{"n": number, "record": object{
			"v":        1,
			"started":  started.UTC().Format(time.RFC3339),
			"request":  object{"method": found[2], "url": "https://" + host + found[3], "version": found[4]},
			"response": object{"status": status, "version": found[4], "body": object{"size": size}},
		}})
	}
}

// count reads the answers up to the end of the input, and then sends their number.
func count(in *bufio.Reader, taken chan<- int) {
	number := 0
	for answers := json.NewDecoder(in); ; {
		var answer struct {
			OK    bool   `json:"ok"`
			Error string `json:"error"`
		}
		if answers.Decode(&answer) != nil {
			taken <- number
			return
		}
		if answer.OK {
			number++
		} else if answer.Error != "" {
			log.Print(answer.Error)
		}
	}
}
