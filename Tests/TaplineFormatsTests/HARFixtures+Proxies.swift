// SPDX-License-Identifier: MIT

/// Files in the formats of further tools, with made-up data.
extension HARFixtures {
    /// Polly.js: keys in alphabetical order, so that the log continues after its entries; header
    /// values as lists; ids and orders in its own format.
    static let polly = #"""
        {
          "log": {
            "_recordingName": "cart/adds an item",
            "creator": {"comment": "persister:fs", "name": "Polly.JS", "version": "6.0.6"},
            "entries": [
              {
                "_id": "6f0a1c2d3e4f5a6b7c8d9e0f1a2b3c4d",
                "_order": 0,
                "cache": {},
                "request": {
                  "bodySize": 8, "cookies": [],
                  "headers": [
                    {"_fromType": "array", "name": "accept", "value": ["text/html", "*/*"]},
                    {"name": "content-type", "value": "application/json"}
                  ],
                  "headersSize": 102, "httpVersion": "HTTP/1.1", "method": "POST",
                  "postData": {"mimeType": "application/json", "params": [], "text": "{\"a\":1 }"},
                  "queryString": [{"name": "page", "value": "2"}],
                  "url": "https://shop.test/cart?page=2"
                },
                "response": {
                  "bodySize": 2,
                  "content": {"mimeType": "application/json; charset=utf-8", "size": 2, "text": "{}"},
                  "cookies": [{"expires": "2027-11-20T14:03:00.000Z", "httpOnly": true, "name": "s",
                    "path": "/", "value": "1"}],
                  "headers": [{"name": "content-type", "value": "application/json; charset=utf-8"}],
                  "headersSize": 77, "httpVersion": "HTTP/1.1", "redirectURL": "", "status": 200,
                  "statusText": "OK"
                },
                "startedDateTime": "2026-11-20T14:03:00.123Z",
                "time": 12,
                "timings": {"blocked": -1, "connect": -1, "dns": -1, "receive": 0, "send": 0,
                  "ssl": -1, "wait": 12}
              }
            ],
            "pages": [],
            "version": "1.2"
          }
        }
        """#

    /// Fiddler: comments everywhere, the process in `_` fields, chunks recorded in the timings.
    static let fiddler = #"""
        {"log":{"pages":[],"comment":"exported @ 20.11.2026","entries":[{"time":15,
        "request":{"headersSize":310,"url":"http://shop.test/b?x=a%20b","httpVersion":"HTTP/1.1",
        "cookies":[{"name":"k","value":"v"}],"queryString":[{"name":"x","value":"a b"}],
        "headers":[{"name":"Host","value":"shop.test"},{"name":"Cookie","value":"k=v"}],
        "bodySize":0,"method":"GET"},"cache":{},"comment":"[#7]","startedDateTime":
        "2026-11-20T15:03:00.1234567+01:00","serverIPAddress":"10.0.0.7","connection":"ClientPort:50123;EgressPort:50124",
        "timings":{"send":0,"receive":2,"connect":5,"dns":3,"blocked":-1,"ssl":-1,"wait":5},
        "response":{"headersSize":120,"redirectURL":"","httpVersion":"HTTP/1.1","cookies":[],
        "headers":[{"name":"Content-Type","value":"text/html"}],"content":{"size":4,"compression":0,
        "mimeType":"text/html","text":"<p/>"},"bodySize":4,"status":200,"statusText":"OK"}}],
        "creator":{"version":"5.0","comment":"https://tool.test/","name":"Fiddler"},"version":"1.2"}}
        """#

    /// Proxyman: entries with colours and notes of people, UUIDs in its own format.
    static let proxyman = #"""
        {"log":{"version":"1.2","creator":{"name":"Proxyman","version":"5.0"},"entries":[{
        "_id":"42","_isIntercepted":true,"_clientName":"curl","_clientBundlePath":null,
        "_name":"checkout","comment":"look at this","startedDateTime":"2026-11-20T14:03:00.500Z",
        "time":40.25,"_serverPort":8443,"request":{"method":"PATCH","url":"https://shop.test:8443/c",
        "httpVersion":"HTTP/1.1","headers":[{"name":"Content-Type","value":"multipart/form-data; boundary=q"}],
        "cookies":[],"queryString":[],"headersSize":90,"bodySize":77,"postData":{"mimeType":
        "multipart/form-data; boundary=q","text":"--q\r\nContent-Disposition: form-data; name=\"f\"; filename=\"a.txt\"\r\n\r\nA\r\n--q--\r\n",
        "params":[{"name":"f","fileName":"a.txt","contentType":"text/plain","comment":"a file"}]}},
        "response":{"status":204,"statusText":"No Content","httpVersion":"HTTP/1.1","headers":[],
        "cookies":[],"content":{"size":0,"mimeType":"","text":""},"redirectURL":"","headersSize":-1,
        "bodySize":0},"cache":{"comment":"none"},"timings":{"blocked":1,"dns":2,"connect":10,"ssl":6,
        "send":0.25,"wait":20,"receive":7,"comment":"measured"},"serverIPAddress":"10.0.0.8"}]}}
        """#

    /// Playwright: the browser in addition to the creator, pages with times, security details.
    static let playwright = #"""
        {"log":{"version":"1.2","creator":{"name":"Playwright","version":"1.50.0"},
        "browser":{"name":"chromium","version":"133.0"},"pages":[{"startedDateTime":
        "2026-11-20T14:03:00.000Z","id":"page@1","title":"Shop","pageTimings":{"onContentLoad":10,
        "onLoad":20}}],"entries":[{"startedDateTime":"2026-11-20T14:03:00.100Z","time":9.125,
        "request":{"method":"GET","url":"https://shop.test/d#part","httpVersion":"HTTP/2.0","cookies":[
        {"name":"a","value":"1"},{"name":"b","value":"2"}],"headers":[{"name":":method","value":"GET"},
        {"name":"cookie","value":"a=1; b=2"}],"queryString":[],"headersSize":44,"bodySize":0},
        "response":{"status":200,"statusText":"","httpVersion":"HTTP/2.0","cookies":[],"headers":[
        {"name":":status","value":"200"},{"name":"content-type","value":"text/plain;charset=utf-8"}],
        "content":{"size":3,"mimeType":"text/plain;charset=utf-8","compression":0,"text":"abc",
        "_sha1":"a9993e36.txt"},"headersSize":30,"bodySize":3,"redirectURL":"","_transferSize":33},
        "cache":{},"timings":{"dns":1,"connect":4,"ssl":3,"send":0,"wait":3,"receive":1.125},
        "pageref":"page@1","serverIPAddress":"10.0.0.9","_serverPort":443,"_securityDetails":
        {"protocol":"TLS 1.3","subjectName":"shop.test","issuer":"Test CA","validFrom":1,"validTo":2}}]}}
        """#

    /// All of them.
    static let all = [
        chrome, firefox, safari, charles, insomnia, mitmproxy, polly, fiddler, proxyman, playwright,
    ]
}
