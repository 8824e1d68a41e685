// SPDX-License-Identifier: MIT

import TaplineFormats
import TaplineImport
import TaplineModel
import Testing

@Suite("Command lines of curl")
struct CurlParserTests {
    @Test(
        "are the requests that curl sends",
        arguments: [
            ("curl shop.test", "GET http://shop.test/"),
            ("curl -XPUT https://a.test:8443/b?c=1#d", "PUT https://a.test:8443/b?c=1"),
            ("curl -sSLk -o f a.test -m 5", "GET http://a.test/"),
            ("curl -I a.test", "HEAD http://a.test/"),
            ("curl --head --get -d a=b a.test/?x", "HEAD http://a.test/?x&a=b"),
            ("curl -G a.test -d a=b --data-urlencode 'c=d e'", "GET http://a.test/?a=b&c=d%20e"),
            ("curl a.test --url-query x=1 --url-query '+y'", "GET http://a.test/?x=1&y"),
            ("curl a.test -H 'A: 1' -H 'B;' -H 'Accept:'", "GET http://a.test/ | A: 1 | B: "),
            (
                "curl a.test -A me -e http://r -b a=1 -b b=2",
                "GET http://a.test/ | User-Agent: me | Referer: http://r | Cookie: a=1; b=2"
            ),
            ("curl -u ann:x a.test", "GET http://a.test/ | Authorization: Basic YW5uOng="),
            ("curl http://ann:x@a.test", "GET http://a.test/ | Authorization: Basic YW5uOng="),
            ("curl --oauth2-bearer t a.test", "GET http://a.test/ | Authorization: Bearer t"),
            (
                "curl -r 0-9 --compressed a.test",
                "GET http://a.test/ | Range: bytes=0-9 | Accept-Encoding: deflate, gzip, br, zstd"
            ),
            ("curl --request-target '*' -X OPTIONS a.test", "OPTIONS http://a.test"),
            ("curl -g 'a.test/[1]{a}'", "GET http://a.test/[1]{a}"),
            ("curl 'http://[::1]:80/'", "GET http://[::1]:80/"),
            ("/usr/bin/curl.exe -- a.test", "GET http://a.test/"),
            ("A=1 sudo curl a.test", "GET http://a.test/"), ("$ curl a.test", "GET http://a.test/"),
            ("  512  2026-01-01 10:00:00 curl a.test", "GET http://a.test/"),
            ("echo x; curl a.test | jq . > f", "GET http://a.test/"),
        ]
    )
    func requests(command: String, summary: String) {
        let imported = Imported(command, .curl)
        #expect(imported.messages.isEmpty, "\(imported.messages)")
        #expect(imported.exchanges.map(\.request.summary) == [summary])
    }

    @Test(
        "have the content of all options for data",
        arguments: [
            ("-d a -d '@' --data-raw @b", nil),
            ("-d a=1 -d b --data-raw @c", "a=1&b&@c"), ("--data-binary $'a\\nb'", "a\nb"),
            ("--data-urlencode 'a=b&c' --data-urlencode '=d e'", "a=b%26c&d%20e"),
            ("--data-ascii x", "x"), ("--data ''", ""),
        ] as [(String, String?)]
    )
    func data(options: String, content: String?) {
        let imported = Imported("curl a.test \(options)", .curl)
        let request = imported.exchanges.first?.request
        #expect(request.map { String(decoding: $0.body.bytes, as: UTF8.self) } == content)
        guard let request, let content else { return }
        #expect(request.method == "POST")
        #expect(request.fields.first("Content-Type") == "application/x-www-form-urlencoded")
        #expect(request.fields.first("Content-Length") == ByteString("\(content.utf8.count)"))
    }

    @Test("send JSON, also piped into them")
    func json() {
        let request = Imported("curl a.test --json '{\"a\":' --json '1}'").exchanges.first?.request
        #expect(request?.body.bytes == Array("{\"a\":1}".utf8))
        #expect(request?.fields.first("Content-Type") == "application/json")
        #expect(request?.fields.first("Accept") == "application/json")
        let piped = Imported(
            "printf 'a%%\\n' | curl a.test -X PUT --data-binary @- -H 'Content-Type: x'"
        )
        #expect(piped.exchanges.first?.request.body.bytes == Array("a%\n".utf8))
        #expect(piped.exchanges.first?.request.fields.all("Content-Type") == ["x"])
        let text = Imported("echo a | curl a.test -d @-").exchanges.first?.request.body.bytes
        #expect(text == Array("a".utf8))
        #expect(Imported("echo a | curl -T - a.test").exchanges.first?.request.method == "PUT")
    }

    @Test("have multipart forms")
    func forms() throws {
        let command =
            #"curl a.test -F 'a=1; type=text/x' -F 'b="x;y";filename=n"1' --form-string c=@d"#
        let request = try #require(Imported(command).exchanges.first?.request)
        let type = try #require(request.fields.first("Content-Type")).description
        let boundary = try #require(type.split(separator: "=").last)
        let expected = [
            "--\(boundary)", "Content-Disposition: form-data; name=\"a\"", "Content-Type: text/x",
            "", "1", "--\(boundary)",
            "Content-Disposition: form-data; name=\"b\"; filename=\"n%221\"", "", "x;y",
            "--\(boundary)", "Content-Disposition: form-data; name=\"c\"", "", "@d",
            "--\(boundary)--", "",
        ].joined(separator: "\r\n")
        #expect(String(decoding: request.body.bytes, as: UTF8.self) == expected)
        #expect(type.hasPrefix("multipart/form-data; boundary="))
    }

    @Test(
        "that need a file or more than curl's arguments are errors with a place",
        arguments: [
            ("curl a.test -d @secret", "f:1:16: '-d' reads a file"),
            ("curl a.test --json @f", "f:1:20: '--json' reads a file"),
            ("curl a.test -F a=@f", "f:1:16: '--form' reads a file"),
            ("curl a.test -F a=<f", "input from a file"), ("curl a.test -T f", "'-T' reads a file"),
            ("curl a.test -H @f", "'-H' reads a file"), ("curl -K f", "reads a configuration file"),
            ("curl a.test -b jar", "'--cookie' reads a file"),
            ("\n\n  curl a.test --frobnicate", "f:3:15: unknown option '--frobnicate' of curl"),
            ("curl a.test -H", "'-H' needs a value"), ("curl -s", "the command has no URL"),
            ("curl 'a.test/[1-9]'", "f:1:6: the URL is a pattern"),
            ("curl ftp://x", "unknown scheme"),
            ("curl http:///x", "expected a host"), ("curl a.test -H x", "malformed field"),
            ("curl a.test/$ID", "f:1:13: the shell would replace '$'"),
            ("cat f | curl a.test -d @-", "the output of another command"),
            ("curl a.test -F '=(x'", "nested parts"), ("curl a.test -F x", "malformed part"),
        ]
    )
    func refusals(command: String, message: String) {
        let imported = Imported(command, .curl)
        #expect(imported.exchanges.isEmpty)
        #expect(imported.messages.count == 1)
        #expect(imported.messages.first?.contains(message) == true, "\(imported.messages)")
        #expect(!imported.messages.joined().contains("secret"))
    }

    @Test("are found in a shell's history, with their times")
    func history() {
        let bash =
            "#1600000000\nls\n#1600000001\ncurl a.test\necho it's\n"
            + "curl b.test; curl c.test\n"
        let imported = Imported(bash)
        #expect(imported.exchanges.map { "\($0.request.host)" } == ["a.test", "b.test", "c.test"])
        #expect(imported.exchanges.first?.started.microseconds == 1_600_000_001_000_000)
        #expect(imported.exchanges.last?.started.microseconds == 1_700_000_000_000_000)
        #expect(imported.unreadKinds == ["2 commands (other than curl)"])
        let zsh = Imported(": 1600000002:0;curl a.test\n: 1600000003:0;ls\n")
        #expect(zsh.exchanges.map(\.started.microseconds) == [1_600_000_002_000_000])
    }

    @Test("after one that cannot be read are read")
    func following() {
        let text = "curl a.test \\\n  -d $X \\\n  -H 'A: 1'\ncurl 'b.test\ncurl c.test\n"
        let imported = Imported(text)
        #expect(imported.exchanges.map { "\($0.request.host)" } == ["c.test"])
        #expect(imported.messages.count == 2)
        #expect(imported.messages.first?.hasPrefix("f:2:6: the shell would replace") == true)
        #expect(imported.messages.last?.hasPrefix("f:4:6: a quote has no end") == true)
        #expect(
            imported.unreadKinds == ["1 commands (shell)", "1 commands (quote without an end)"]
        )
    }

    @Test("become an exchange for each URL, and for each part of --next")
    func several() {
        let text = "curl a.test b.test -d x --next --url c.test --digest -u a:b -n"
        let imported = Imported(text)
        let summaries = imported.exchanges.map { "\($0.request.method) \($0.request.host)" }
        #expect(summaries == ["POST a.test", "POST b.test", "GET c.test"])
        #expect(
            imported.lossKinds == [
                "1 credentials (computed by curl)", "1 credentials (netrc)",
            ]
        )
    }

    @Test("that would need much memory are refused")
    func hostile() {
        let urls = String(repeating: " u", count: 50_000)
        let big = String(repeating: "x", count: 100_000)
        let imported = Imported("curl -d \(big)\(urls)", .curl)
        #expect(imported.errors.map(\.code) == [.tooLarge])
        let input = "printf %s \(big) | curl"
        let uses = String(repeating: " --data-binary @-", count: 1000)
        #expect(Imported("\(input) a.test\(uses)", .curl).errors.map(\.code) == [.tooLarge])
        let copies = Imported("\(input) -G -d @-" + String(repeating: " u", count: 1000), .curl)
        #expect(copies.errors.map(\.code) == [.tooLarge])
        let quotes = String(repeating: "curl 'a\n", count: 10_001)
        #expect(Imported(quotes, .curl).errors.count <= 5)
        let nested = String(repeating: "curl a.test -d x | ", count: 10_000)
        #expect(Imported(nested, .curl).exchanges.count == 1)
        let words = Imported("curl" + String(repeating: " -s", count: 100_001) + " a.test", .curl)
        #expect(words.messages.first?.contains("the command has too many words") == true)
        let large = Imported(Array("curl a.test".utf8), .curl, maxRecordBytes: 5)
        #expect(large.end?.code == .tooLarge)
    }
}
