// SPDX-License-Identifier: MIT

import TaplineModel
import TestSupport
import Testing

@testable import TaplineServe

/// Speaks to a conversation in words, and shows its actions in words.
private struct Speaker: ~Copyable {
    private static let requests = [
        "get": "GET /a HTTP/1.1\r\nHost: h\r\n\r\n",
        "close": "GET /c HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n",
        "head": "HEAD /h HTTP/1.1\r\nHost: h\r\n\r\n",
        "old": "GET /o HTTP/1.0\r\n\r\n",
        "post": "POST /p HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhello",
        "chunks": "POST /k HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
            + "3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n",
        "expect": "POST /e HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n"
            + "Expect: 100-continue\r\n\r\n",
        "large": "POST /l HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\n",
        "growing": "POST /g HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
            + "9\r\nabcdefghi\r\n",
        "wrong": "GET /\r\nHost: h\r\n\r\n",
        "part": "GET /a HT",
        "rest": "TP/1.1\r\nHost: h\r\n\r\n",
        "body": "ab",
    ]

    private var conversation: ServerConversation

    init() {
        var options = ServeOptions()
        options.maxBodyBytes = 8
        conversation = ServerConversation(options)
    }

    mutating func say(_ event: String) -> String {
        let words = event.split(separator: " ").map(String.init)
        let number = words.count > 1 ? Int(words[1]) ?? 0 : 0
        let action: ServerConversation.Action
        switch words.first {
        case "answer": action = conversation.answered(number, Self.response(words[2]))
        case "begin": action = conversation.began(number, ServedResponse(200, type: "text/plain"))
        case "piece": action = conversation.streamed(number, Array(words[2].utf8))
        case "finish": action = conversation.streamEnded(number, isWhole: true)
        case "fail": action = conversation.streamEnded(number, isWhole: false)
        case "resume": action = conversation.resumed()
        case "end": action = conversation.inputEnded()
        case "late": action = conversation.timeIsUp()
        case "gone": action = conversation.closed()
        default:
            let text = words.map { Self.requests[$0] ?? "?" }.joined()
            action = conversation.received(Array(text.utf8).span)
        }
        return Self.text(action) + " " + "\(conversation.deadline)"
    }

    private static func response(_ word: String) -> ServedResponse {
        word == "nothing" ? ServedResponse(204) : ServedResponse(200, Array(word.utf8))
    }

    private static func text(_ action: ServerConversation.Action) -> String {
        var parts: [String] = []
        if !action.output.isEmpty { parts.append("'\(Self.short(action.output))'") }
        if let (number, request) = action.request {
            let body = String(decoding: request.body, as: UTF8.self)
            parts.append("handle \(number) \(request.method) \(request.request.target)\(body)")
        }
        if action.abandons { parts.append("abandon") }
        if action.closes { parts.append("close") }
        return parts.isEmpty ? "-" : parts.joined(separator: " ")
    }

    /// Status, framing and body of what is sent.
    private static func short(_ output: [UInt8]) -> String {
        let text = String(decoding: output, as: UTF8.self)
        guard text.hasPrefix("HTTP/1.1 ") else { return text.replacing("\r\n", with: "|") }
        var words = [String(text.dropFirst(9).prefix(3))]
        for (field, word) in [
            ("Content-Length: 0", "empty"), ("Transfer-Encoding: chunked", "chunked"),
            ("Connection: close", "closes"),
        ] where text.contains("\(field)\r\n") { words.append(word) }
        if let body = text.split(separator: "\r\n\r\n", maxSplits: 1).dropFirst().first,
            words[0] == "200"
        {
            words.append(String(body).replacing("\r\n", with: "|"))
        }
        return words.joined(separator: " ")
    }
}

extension String {
    fileprivate func replacing(_ old: String, with new: String) -> String {
        split(separator: old, omittingEmptySubsequences: false).joined(separator: new)
    }
}

@Suite struct ServerConversationTests {
    static let playbooks = [
        Playbook(
            "a connection that stays open",
            """
            get → handle 1 GET /a response
            answer 1 yes → '200 yes' idle
            resume → - idle
            post → handle 2 POST /phello response
            answer 2 nothing → '204' idle
            chunks → handle 3 POST /kabcde response
            answer 3 x → '200 x' idle
            late → close none
            """
        ),
        Playbook(
            "requests in advance wait until the client has taken the response",
            """
            get get part → handle 1 GET /a response
            answer 2 no → - response
            answer 1 yes → '200 yes' request
            resume → handle 2 GET /a response
            rest → - response
            answer 2 yes → '200 yes' request
            resume → handle 3 GET /a response
            """
        ),
        Playbook(
            "a client that closes",
            """
            close get → handle 1 GET /c response
            answer 1 yes → '200 closes yes' close none
            resume → - none
            get → - none
            gone → - none
            """
        ),
        Playbook(
            "HEAD and HTTP/1.0",
            """
            head → handle 1 HEAD /h response
            answer 1 yes → '200' idle
            head → handle 2 HEAD /h response
            begin 2 → '200' abandon idle
            piece 2 x → - idle
            old → handle 3 GET /o response
            begin 3 → '200 closes' response
            piece 3 x → 'x' response
            finish 3 → close none
            """
        ),
        Playbook(
            "a stream",
            """
            get → handle 1 GET /a response
            piece 1 early → - response
            begin 1 → '200 chunked' response
            begin 1 → - response
            answer 1 late → - response
            piece 1 abc → '3|abc|' response
            finish 1 → '0||' idle
            finish 1 → - idle
            piece 1 x → - idle
            get → handle 2 GET /a response
            begin 2 → '200 chunked' response
            fail 2 → close none
            """
        ),
        Playbook(
            "a stream whose client ends",
            """
            get → handle 1 GET /a response
            begin 1 → '200 chunked' response
            end → abandon close none
            piece 1 x → - none
            finish 1 → - none
            """
        ),
        Playbook(
            "a client that only ends its own direction",
            """
            get → handle 1 GET /a response
            end → abandon response
            answer 1 yes → '200 closes yes' close none
            """
        ),
        Playbook(
            "a client that ends before its stream begins",
            """
            get → handle 1 GET /a response
            end → abandon response
            begin 1 → '200 chunked closes' abandon close none
            piece 1 x → - none
            """
        ),
        Playbook(
            "a client that leaves",
            """
            get → handle 1 GET /a response
            gone → abandon none
            answer 1 yes → - none
            end → - none
            late → - none
            """
        ),
        Playbook(
            "a body that waits for permission",
            """
            expect → '100' request
            body → handle 1 POST /eab response
            answer 1 yes → '200 yes' idle
            """
        ),
        Playbook("a body that is declared as too large", "large → '413 closes' close none"),
        Playbook("a body that becomes too large", "growing → '413 closes' close none"),
        Playbook("what is no request", "wrong → '400 closes' close none"),
        Playbook(
            "a head that does not end in time",
            """
            part → - request
            late → '408 closes' close none
            late → - none
            """
        ),
        Playbook(
            "a body that does not end in time",
            """
            expect → '100' request
            late → '408 closes' close none
            """
        ),
        Playbook(
            "a body that is cut off",
            """
            expect → '100' request
            end → close none
            """
        ),
        Playbook("a connection without a request", "end → close none"),
        Playbook(
            "a client that takes nothing of its response",
            """
            get → handle 1 GET /a response
            late → abandon close none
            """
        ),
    ]

    @Test("each event leads to its action", arguments: playbooks)
    func playbook(_ playbook: Playbook) {
        var speaker = Speaker()
        for (event, action) in playbook.lines {
            #expect(speaker.say(event) == action, "\(event)")
        }
    }

    @Test("requests are the same in whatever pieces they arrive")
    func pieces() {
        let text =
            "POST /p?x=1 HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhello"
            + "POST /k HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
            + "3\r\nabc\r\n0\r\nT: 1\r\n\r\nGET /g HTTP/1.1\r\nHost: h\r\n\r\n"
        let bytes = Array(text.utf8)
        let ways =
            [[bytes.count], Array(1...bytes.count)]
            + (1..<bytes.count).map {
                [$0, bytes.count]
            }
        for ends in ways {
            var conversation = ServerConversation()
            var found: [String] = []
            var start = 0
            func take(_ action: ServerConversation.Action) -> Int? {
                guard let (number, request) = action.request else { return nil }
                let body = String(decoding: request.body, as: UTF8.self)
                found.append("\(request.request.target) \(body)")
                return number
            }
            for end in ends {
                var number = take(conversation.received(bytes.span.extracting(start..<end)))
                start = end
                while let current = number {
                    _ = conversation.answered(current, ServedResponse(204))
                    number = take(conversation.resumed())
                }
            }
            #expect(found == ["/p?x=1 hello", "/k abc", "/g "], "\(ends.prefix(1))")
        }
    }

    @Test("input waits while a response is outstanding")
    func waits() {
        var conversation = ServerConversation()
        var wants = [conversation.wantsInput]
        let request = Array("GET / HTTP/1.1\r\nHost: h\r\n\r\n".utf8)
        for _ in 0..<2 {
            _ = conversation.received(request.span)
            wants.append(conversation.wantsInput)
        }
        _ = conversation.answered(1, ServedResponse(204))
        wants.append(conversation.wantsInput)
        #expect(wants == [true, true, false, true])
    }

    @Test("keeps large bodies only of requests that are logged in by their heads")
    func anonymous() throws {
        var options = ServeOptions()
        options.maxAnonymousBodyBytes = 4
        options.isLoggedIn = { $0.field("Key") == "yes" }
        for (line, length, status) in [
            ("Key: yes", 5, 200), ("Key: no", 5, 413), ("Key: no", 4, 200), ("X: y", 1 << 19, 413),
        ] {
            let head = "POST / HTTP/1.1\r\nHost: h\r\n\(line)\r\n"
            let content = String(repeating: "a", count: length)
            let size = String(length, radix: 16)
            for text in [
                head + "Content-Length: \(length)\r\n\r\n\(content)",
                head + "Transfer-Encoding: chunked\r\n\r\n\(size)\r\n\(content)\r\n0\r\n\r\n",
            ] {
                var conversation = ServerConversation(options)
                let action = conversation.received(Array(text.utf8).span)
                #expect((action.request != nil) == (status == 200), "\(line) \(length)")
                #expect(action.closes == (status == 413))
                if status == 413 {
                    #expect(action.output.starts(with: "HTTP/1.1 413".utf8))
                }
            }
        }
    }

    @Test("closes after the answer to a request whose connection may not stay open")
    func keepsConnection() {
        var options = ServeOptions()
        options.keepsConnection = { $0.field("Key") == "yes" }
        for (line, stays) in [("Key: yes", true), ("Key: no", false), ("X: y", false)] {
            var conversation = ServerConversation(options)
            #expect(conversation.deadline == .first)
            let head = "GET / HTTP/1.1\r\nHost: h\r\n\(line)\r\n\r\n"
            _ = conversation.received(Array(head.utf8).span)
            let action = conversation.answered(1, ServedResponse(204))
            #expect(action.closes == !stays, "\(line)")
            #expect(conversation.deadline == (stays ? .idle : .none))
        }
    }

    @Test("a field that cannot be sent ends the connection without a response")
    func oddField() {
        var conversation = ServerConversation()
        _ = conversation.received(Array("GET / HTTP/1.1\r\nHost: h\r\n\r\n".utf8).span)
        var response = ServedResponse(200, text: "x")
        response.fields.append(name: "X", value: "a\r\nB: c")
        let action = conversation.answered(1, response)
        #expect(action.output.isEmpty && action.closes)
    }
}
