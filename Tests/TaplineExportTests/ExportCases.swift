// SPDX-License-Identifier: MIT

import TaplineModel
import TaplinePlugin
import TestSupport

/// Requests to export, half of them with what exporters get wrong.
///
/// The path of each begins with its number, as in `/c17/`, so that a server can tell them apart.
enum ExportCases {
    /// Contents that shells, tools and languages could read as something else.
    static let bodies: [[UInt8]] =
        [
            "@/etc/passwd", "@", "100% %s %d %n", "a\0b", "\0", "$(id) `id` $HOME ${HOME}",
            "line\n",
            "line\r\n", "\n", "\n\nafter", " ", "-", "-n text", "--help", "!! !x !$", "it's",
            "''''", "\"quoted\"", "\\", "\\\\n \\x41 \\u0041 \\(x) \\'", "'\\''", "#{x} \\#(y)",
            "### \nGET / HTTP/1.1", "{{user}} {{$guid}}", "🐵🙈🙉", "\n🐵🙈🙉\n", "ünï 日本 ‘’‚‛ “”„",
            "\u{1B}[31mred", "\u{7F}\u{85}", "\u{2028}\u{2029}\u{FEFF}", "</script><!--", "=1+1",
            "<@file",
            "< ./file", "> x", "a=b&c=%20+d&e", "[1,{\"a\":null}]", "\t", "; rm -rf x; && | > y",
            "\"\"\"",
            "*?[a]~", "^caret^ %PATH%", "`n $null @()", "EOF\nEOF\n", "\r", "x\r\n\r\ny",
        ].map { Array($0.utf8) } + [
            Array(0...255), [0xFF, 0xFE, 0x00, 0x41], [0xC3], [0x80, 0x31, 0x32],
            Array(repeating: .ascii("x"), count: 70_000),
            Array((0..<60_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }),
            Array(String(repeating: "it's %d ü\n", count: 9000).utf8),
        ]

    /// Field values with the same intent; no control characters, which fields cannot have.
    static let values: [[UInt8]] =
        [
            "", "@/etc/passwd", "=x", "a:b;c=d", "$(id) `id` $HOME", "!! !x", "it's", "\"q\" \\",
            "%s%%",
            "C:\\dir\\=x", "{{user}}", "ünï 日本", "‘’“”", "a\tb", "~", "*", "#hash", "<b>", "-x",
            "a, b, \"c, d\"", "'", "\\", "``", "a  b",
        ].map { Array($0.utf8) } + [[0xFC, 0xE9], [0x41, 0xFF]]

    /// Targets after the number.
    static let targets: [[UInt8]] =
        [
            "a%20b?x=%2F&y=a+b", "?q='it''s'", "?list[]=1&x={y}", "a/../b", "b/%2e%2e/x", "./x",
            "?a|b^c",
            "a\\b", "\"q\"", "`id`$(id)", "$HOME/!x", "?", "?&&=&a", ":name/:other", ";p=1;q",
            "~user",
            "%2f%c3%bc", "?u=http://x/?y=1", "*", "a//b", "@x", "?x=1;2", "(a),b!c", "?a=b=c",
            "a b", "?q#f",
            "%", "%zz", "<x>", "100%25", "?a=%00", "{{x}}", "-x", "a'b", "?x=[{\"a\":1}]",
        ].map { Array($0.utf8) } + [[0xFC], Array("日本".utf8)]

    static let methods = ["DELETE", "OPTIONS", "PURGE", "get", "post", "M-SEARCH", "x!$`'", "HEAD"]

    /// All requests, to a server on loopback.
    static func all(port: Int) -> [Request] {
        var requests = plain(port: port)
        func add(_ change: (inout Request) -> Void) {
            var request = plain(requests.count, "nasty", port: port)
            change(&request)
            requests.append(request)
        }
        for body in bodies { add { $0.setBody(body, type: "text/plain") } }
        for value in values {
            add { $0.fields.append(name: "X-Value".utf8.span, value: value.span) }
        }
        for target in targets { add { $0.appendToTarget(target) } }
        for method in methods { add { $0.method = ByteString(method) } }
        for change in special { add(change) }
        return requests
    }

    /// Special combinations.
    private static let special: [@Sendable (inout Request) -> Void] = [
        // An empty POST, with and without a length.
        { $0.method = "POST" },
        { request in
            request.method = "POST"
            request.fields.append(name: "Content-Length", value: "0")
        },
        { $0.method = "PUT" },
        // Repeated fields.
        { request in
            for value in ["1", "2", "", "3"] { request.fields.append(name: "X-Many", value: value) }
        },
        { request in
            request.fields.append(name: "Cookie", value: "a=1")
            request.fields.append(name: "cookie", value: "b=2")
        },
        // Names of any token characters.
        { $0.fields.append(name: "X!#$%&'*+.^_`|~9", value: "v") },
        // HTTP/2.
        { request in
            request.version = "HTTP/2"
            request.fields = [
                ":method": "GET", ":scheme": "http", ":path": "/", ":authority": "x",
                "accept": "*/*", "te": "trailers",
            ]
        },
        // Another host than that of the URL.
        { request in
            request.fields.removeAll("Host")
            request.fields.append(name: "Host", value: "shop.test")
        },
        // A body that was recorded decoded, and one that was not.
        { request in
            request.setBody(Array("decoded".utf8), type: "text/plain")
            request.fields.append(name: "Content-Encoding", value: "gzip")
        },
        { request in
            request.setBody([0x1F, 0x8B, 8, 0, 0], type: "text/plain")
            request.fields.append(name: "Content-Encoding", value: "gzip")
            request.body.coding = "gzip"
        },
        // Chunked content without a type.
        { request in
            request.method = "POST"
            request.body = Body(Array("chunks".utf8))
            request.fields.append(name: "Transfer-Encoding", value: "chunked")
        },
        // Multipart content with a boundary of its own.
        { request in
            let body =
                "--b'x\r\nContent-Disposition: form-data; name=\"f\"; filename=\"@a\"\r\n\r\n"
                + "\u{0}\r\n--b'x--\r\n"
            request.setBody(Array(body.utf8), type: "multipart/form-data; boundary=\"b'x\"")
        },
        // GET and HEAD with content.
        { request in
            request.setBody(Array("{}".utf8), type: "application/json")
            request.method = "GET"
        },
        { request in
            request.setBody(Array("x".utf8), type: "text/plain")
            request.method = "HEAD"
        },
        // Only what is necessary.
        { $0.fields = FieldSection() },
        { request in
            request.method = "POST"
            request.fields = FieldSection()
            request.body = Body(Array("no type".utf8))
        },
        { $0.fields.append(name: "Authorization", value: "Basic dTpw") },
        { $0.fields.append(name: "Accept-Encoding", value: "gzip, br") },
    ]

    /// Requests as browsers and apps send them.
    private static func plain(port: Int) -> [Request] {
        var random = Random(seed: 20)
        return (0..<130).map { number in
            let target = random.pick(["", "items/17?page=2&q=a%20b", "v1/users", "search?q=x+y"])
            var request = plain(number, target, port: port)
            request.method = random.pick(["GET", "GET", "POST", "PUT", "PATCH", "DELETE"])
            switch request.method {
            case "GET", "DELETE": break
            default:
                let isForm = random.below(3) == 0
                request.setBody(
                    Array(
                        isForm ? "name=Ann+Lee&age=4".utf8 : "{\"n\":\(number),\"s\":\"ü\"}".utf8
                    ),
                    type: isForm ? "application/x-www-form-urlencoded" : "application/json",
                    method: request.method
                )
            }
            if random.below(2) == 0 {
                request.fields.append(name: "Authorization", value: "Bearer \(random.next())")
            }
            if random.below(2) == 0 { request.fields.append(name: "Cookie", value: "a=1; b=\"2\"") }
            return request
        }
    }

    private static func plain(_ number: Int, _ rest: String, port: Int) -> Request {
        Request(
            method: "GET",
            target: ByteString("/c\(number)/\(rest)"),
            scheme: "http",
            authority: ByteString("127.0.0.1:\(port)"),
            fields: [
                "Host": "127.0.0.1:\(port)", "User-Agent": "shop/1.0 (it's)", "Accept": "*/*",
                "Connection": "keep-alive",
            ]
        )
    }

    /// Seals an exchange with a request.
    static func record(_ request: Request, _ number: Int = 0) -> Record {
        let started = Timestamp(microseconds: 1_800_000_000_000_000 + Int64(number) * 1000)
        var exchange = Exchange(
            id: ExchangeID(started: started, random: UInt64(number), 7),
            started: started,
            request: request
        )
        exchange.response = Response(
            status: 200,
            reason: "OK",
            fields: ["Content-Type": "application/json"],
            body: Body(Array("{\"ok\":true}".utf8))
        )
        return sealed(exchange)
    }

    /// Seals an exchange without any stage.
    static func sealed(_ exchange: Exchange) -> Record {
        var chain = RecordChain()
        guard case .sealed(let record) = chain.seal(exchange) else {
            preconditionFailure("an empty chain drops nothing")
        }
        return record
    }
}

extension Request {
    /// Sets content with its type, and the length that clients send.
    mutating func setBody(_ bytes: [UInt8], type: String, method: ByteString = "POST") {
        self.method = method
        body = Body(bytes)
        fields.append(name: "Content-Type", value: type)
        fields.append(name: "Content-Length", value: "\(bytes.count)")
    }

    /// Replaces the target after the number.
    mutating func appendToTarget(_ bytes: [UInt8]) {
        let end = target.span.firstIndex(of: .ascii("/"), from: 1) ?? target.count - 1
        target = ByteString(Array(copying: target.span.extracting(0...end)) + bytes)
    }
}
