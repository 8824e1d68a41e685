// SPDX-License-Identifier: MIT

/// One HAR file in the format of each tool, with made-up data.
enum HARFixtures {
    /// Chrome: pseudo-headers, `http/2.0` and `h3`, `_transferSize`, `ssl` within `connect`,
    /// failed and aborted requests, WebSocket messages, repeated fields on lines of one value.
    static let chrome = #"""
        {
          "log": {
            "version": "1.2",
            "creator": {"name": "WebInspector", "version": "537.36"},
            "pages": [{"startedDateTime": "2026-11-20T14:03:00.000Z", "id": "page_1",
              "title": "https://shop.test/", "pageTimings": {"onContentLoad": 12.5, "onLoad": -1}}],
            "entries": [
              {
                "_connectionId": "318",
                "_initiator": {"type": "other"},
                "_priority": "VeryHigh",
                "_resourceType": "document",
                "cache": {},
                "connection": "443",
                "pageref": "page_1",
                "request": {
                  "method": "GET", "url": "https://shop.test/a?q=1#top", "httpVersion": "http/2.0",
                  "headers": [
                    {"name": ":authority", "value": "shop.test"}, {"name": ":method", "value": "GET"},
                    {"name": ":path", "value": "/a?q=1"}, {"name": ":scheme", "value": "https"},
                    {"name": "accept-encoding", "value": "gzip, deflate, br, zstd"}
                  ],
                  "queryString": [{"name": "q", "value": "1"}], "cookies": [],
                  "headersSize": -1, "bodySize": 0
                },
                "response": {
                  "status": 200, "statusText": "", "httpVersion": "http/2.0",
                  "headers": [
                    {"name": "content-encoding", "value": "br"},
                    {"name": "set-cookie", "value": "a=1; Path=/\nb=2"}
                  ],
                  "cookies": [], "content": {"size": 5, "mimeType": "text/html", "text": "h\u00e9llo"},
                  "redirectURL": "", "headersSize": -1, "bodySize": -1, "_transferSize": 312,
                  "_error": null, "_fetchedViaServiceWorker": false
                },
                "serverIPAddress": "[2001:db8::1]",
                "startedDateTime": "2026-11-20T14:03:00.123Z",
                "time": 30.5,
                "timings": {"blocked": 2.5, "dns": 1, "ssl": 9, "connect": 12, "send": 0.5,
                  "wait": 10, "receive": 4.5, "_blocked_queueing": 1.2, "_workerStart": -1}
              },
              {
                "request": {"method": "POST", "url": "https://shop.test/b", "httpVersion": "h3",
                  "headers": [], "queryString": [], "cookies": [], "headersSize": -1, "bodySize": 7,
                  "postData": {"mimeType": "application/x-www-form-urlencoded", "text": "a=1&b=2",
                    "params": [{"name": "a", "value": "1"}, {"name": "b", "value": "2"}]}},
                "response": {"status": 0, "statusText": "", "httpVersion": "", "headers": [],
                  "cookies": [], "content": {"size": 0, "mimeType": "x-unknown"}, "redirectURL": "",
                  "headersSize": -1, "bodySize": -1, "_transferSize": 0,
                  "_error": "net::ERR_CONNECTION_REFUSED"},
                "startedDateTime": "2026-11-20T14:03:01Z", "time": 3, "cache": {},
                "timings": {"blocked": 3, "dns": -1, "ssl": -1, "connect": -1, "send": 0, "wait": 0,
                  "receive": 0}
              },
              {
                "request": {"method": "GET", "url": "https://shop.test/c", "httpVersion": "",
                  "headers": [], "queryString": [], "cookies": [], "headersSize": -1, "bodySize": 0},
                "response": {"status": 0, "statusText": "", "httpVersion": "", "headers": [],
                  "cookies": [], "content": {"size": 0, "mimeType": "x-unknown"}, "redirectURL": "",
                  "headersSize": -1, "bodySize": -1, "_error": "net::ERR_ABORTED"},
                "startedDateTime": "2026-11-20T14:03:02Z", "time": 0, "cache": {}, "timings": {}
              },
              {
                "_resourceType": "websocket",
                "_webSocketMessages": [
                  {"type": "send", "time": 1795183383.5, "opcode": 1, "data": "hi"},
                  {"type": "receive", "time": 1795183383.75, "opcode": 2, "data": "AQI="},
                  {"type": "error", "time": 1795183384, "opcode": -1, "data": "closed"}
                ],
                "request": {"method": "GET", "url": "wss://shop.test/ws", "httpVersion": "http/1.1",
                  "headers": [{"name": "Upgrade", "value": "websocket"}], "queryString": [],
                  "cookies": [], "headersSize": 500, "bodySize": 0},
                "response": {"status": 101, "statusText": "Switching Protocols",
                  "httpVersion": "http/1.1", "headers": [{"name": "Upgrade", "value": "websocket"}],
                  "cookies": [], "content": {"size": 0, "mimeType": "x-unknown"}, "redirectURL": "",
                  "headersSize": 129, "bodySize": -1, "_transferSize": 129, "_error": null},
                "startedDateTime": "2026-11-20T14:03:03.000Z", "time": 1000, "cache": {},
                "timings": {"blocked": -1, "dns": -1, "connect": -1, "send": 0, "wait": 0,
                  "receive": 0, "ssl": -1}
              }
            ]
          }
        }
        """#

    /// Firefox: local time with an offset, the port as `connection`, binary content in base64,
    /// bodies left out with a comment, `NS_BINDING_ABORTED`.
    static let firefox = #"""
        {"log":{"version":"1.2","creator":{"name":"Firefox","version":"140.0"},
        "browser":{"name":"Firefox","version":"140.0"},
        "pages":[{"id":"page_1","pageTimings":{"onContentLoad":80,"onLoad":90},
        "startedDateTime":"2026-11-20T15:03:00.123+01:00","title":"shop"}],
        "entries":[{"startedDateTime":"2026-11-20T15:03:00.123+01:00","request":{"bodySize":0,
        "method":"GET","url":"https://shop.test/logo.png","httpVersion":"HTTP/2","headers":[
        {"name":"Host","value":"shop.test"}],"cookies":[],"queryString":[],"headersSize":300},
        "response":{"status":200,"statusText":"","httpVersion":"HTTP/2","headers":[
        {"name":"content-type","value":"image/png"}],"cookies":[],"content":{"mimeType":"image/png",
        "size":8,"encoding":"base64","text":"iVBORw0K\nGgo="},"redirectURL":"","headersSize":200,
        "bodySize":208},"cache":{},"timings":{"blocked":0,"dns":0,"connect":0,"ssl":0,"send":0,
        "wait":26,"receive":0},"time":26,"_securityState":"secure","serverIPAddress":"127.0.0.1",
        "connection":"443","pageref":"page_1"},
        {"startedDateTime":"2026-11-20T15:03:01.000+01:00","request":{"bodySize":0,"method":"GET",
        "url":"https://shop.test/big","httpVersion":"HTTP/2","headers":[],"cookies":[],
        "queryString":[],"headersSize":300},"response":{"status":200,"statusText":"OK",
        "httpVersion":"HTTP/2","headers":[],"cookies":[],"content":{"mimeType":"text/plain",
        "size":9000000,"comment":"Response bodies are not included."},"redirectURL":"",
        "headersSize":200,"bodySize":2000000},"cache":{},"timings":{"send":0,"wait":1,"receive":2},
        "time":3,"connection":"443","pageref":"page_1"}]}}
        """#

    /// Safari: no sizes, `HTTP/2`, the port with the address.
    static let safari = #"""
        {"log":{"version":"1.2","creator":{"name":"WebKit Web Inspector","version":"1.0"},"pages":[],
        "entries":[{"pageref":"page_0","startedDateTime":"2026-11-20T14:03:00.123Z",
        "time":55.123456789,"request":{"method":"GET","url":"https://shop.test/x","httpVersion":"HTTP/2",
        "cookies":[],"headers":[{"name":"Accept","value":"*/*"}],"queryString":[]},
        "response":{"status":304,"statusText":"Not Modified","httpVersion":"HTTP/2","cookies":[],
        "headers":[],"content":{"size":0,"compression":0,"mimeType":"text/css"},"redirectURL":"",
        "headersSize":90,"bodySize":0,"_transferSize":90},"cache":{},
        "timings":{"blocked":1.5,"dns":-1,"connect":-1,"ssl":-1,"send":0.25,"wait":53,
        "receive":0.373456789},"serverIPAddress":"127.0.0.1:8443","_fetchType":"Network Load",
        "_priority":"medium"}]}}
        """#

    /// Charles: byte order mark, `statusText` null, forms as params only, `_charlesStatus`.
    static let charles =
        "\u{FEFF}" + #"""
            {"log":{"version":"1.2","creator":{"name":"Charles Proxy","version":"4.6.4"},"entries":[
            {"startedDateTime":"2026-11-20T22:03:00.123+08:00","time":120,"request":{"method":"POST",
            "url":"https://shop.test/login","httpVersion":"HTTP/2.0","cookies":[{"name":"s","value":"1"}],
            "headers":[{"name":":method","value":"POST"},{"name":"cookie","value":"s=1"}],
            "queryString":[],"postData":{"mimeType":"application/x-www-form-urlencoded","params":[
            {"name":"user name","value":"a&b"},{"name":"empty"},{"name":"ü","value":null}]},
            "headersSize":14,"bodySize":44},"response":{"_charlesStatus":"COMPLETE","status":200,
            "statusText":null,"httpVersion":"HTTP/2.0","cookies":[],"headers":[
            {"name":":status","value":"200"}],"content":{"size":2,"mimeType":"text/plain","text":"ok"},
            "redirectURL":null,"headersSize":0,"bodySize":2},"serverIPAddress":"127.0.0.1","cache":{},
            "timings":{"dns":1,"connect":24,"ssl":17,"send":0,"wait":95,"receive":0}},
            {"startedDateTime":"2026-11-20T22:03:01+08:00","time":-1,"request":{"method":"POST",
            "url":"https://shop.test/up","httpVersion":"HTTP/1.1","cookies":[],"headers":[],
            "queryString":[],"postData":{"mimeType":"multipart/form-data; boundary=\"xyz\"","params":[
            {"name":"file","fileName":"a.txt","contentType":"text/plain","value":"A"}]},"headersSize":1,
            "bodySize":100},"response":{"_charlesStatus":"FAILED","status":503,"statusText":"x",
            "httpVersion":"HTTP/1.1","cookies":[],"headers":[],"content":{"size":-1,"mimeType":null},
            "headersSize":-1,"bodySize":-1},"cache":{},"timings":{"send":-1,"wait":-1,"receive":-1}}]}}
            """#

    /// Insomnia: only requests, with comments; no real response.
    static let insomnia = #"""
        {"log":{"version":"1.2","creator":{"name":"Insomnia REST Client",
        "version":"insomnia.desktop.app:v10.0.0"},"entries":[{"startedDateTime":
        "2026-11-20T14:03:00.123Z","time":0,"request":{"method":"PUT","url":"http://shop.test",
        "httpVersion":"HTTP/1.1","cookies":[],"headers":[{"name":"Content-Type",
        "value":"application/json"}],"queryString":[],"postData":{"mimeType":"application/json",
        "text":"{\"a\":1}"},"headersSize":-1,"bodySize":-1},"response":{"status":0,"statusText":"",
        "httpVersion":"HTTP/1.1","cookies":[],"headers":[],"content":{"size":0,"mimeType":""},
        "redirectURL":"","headersSize":-1,"bodySize":-1},"cache":{},"timings":{"blocked":-1,"dns":-1,
        "connect":-1,"send":0,"wait":0,"receive":0,"ssl":-1},"comment":"Add to cart"}]}}
        """#

    /// mitmproxy: consecutive phases, null timings, `_error` with status 0, content size of the
    /// coded bytes.
    static let mitmproxy = #"""
        {
            "log": {
                "version": "1.2",
                "creator": {"name": "mitmproxy", "version": "11.0.2", "comment": ""},
                "pages": [],
                "entries": [
                    {
                        "startedDateTime": "2026-11-20T14:03:00.123456+00:00",
                        "time": 21.0,
                        "request": {
                            "method": "GET", "url": "https://shop.test/", "httpVersion": "HTTP/1.1",
                            "cookies": [], "headers": [{"name": "Host", "value": "shop.test"}],
                            "queryString": [], "headersSize": 80, "bodySize": 0
                        },
                        "response": {
                            "status": 302, "statusText": "Found", "httpVersion": "HTTP/1.1",
                            "cookies": [], "headers": [{"name": "Location", "value": "/home"}],
                            "content": {"size": 40, "compression": 25, "mimeType": "text/plain",
                                "text": "moved"},
                            "redirectURL": "/home", "headersSize": 60, "bodySize": 40
                        },
                        "cache": {},
                        "timings": {"connect": 2.0, "ssl": 3.0, "send": 1.0, "receive": 5.0,
                            "wait": 10.0},
                        "serverIPAddress": "127.0.0.1"
                    },
                    {
                        "startedDateTime": "2026-11-20T14:03:01+00:00",
                        "time": 0,
                        "request": {"method": "GET", "url": "http://shop.test/gone",
                            "httpVersion": "HTTP/1.1", "cookies": [], "headers": [],
                            "queryString": [], "headersSize": 0, "bodySize": 0},
                        "response": {"status": 0, "statusText": "", "httpVersion": "", "headers": [],
                            "cookies": [], "content": {}, "redirectURL": "", "headersSize": -1,
                            "bodySize": -1, "_transferSize": 0, "_error": "connection lost"},
                        "cache": {},
                        "timings": {"connect": null, "ssl": null, "send": 0, "receive": 0, "wait": 0}
                    }
                ]
            }
        }
        """#
}
