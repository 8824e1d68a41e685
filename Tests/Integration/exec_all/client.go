// SPDX-License-Identifier: MIT

// A static program that ignores the variables for proxies.
package main

import (
	"io"
	"net/http"
	"os"
)

func main() {
	client := &http.Client{Transport: &http.Transport{Proxy: nil}}
	response, err := client.Get(os.Args[1])
	if err != nil {
		println(err.Error())
		os.Exit(1)
	}
	defer response.Body.Close()
	io.Copy(os.Stdout, response.Body)
}
