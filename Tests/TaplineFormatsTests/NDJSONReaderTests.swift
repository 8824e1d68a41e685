// SPDX-License-Identifier: MIT

import TaplineFormats
import TaplineModel
import TaplinePlugin
import Testing

@Suite struct NDJSONReaderTests {
    func read(_ line: String) throws(RecordError) -> Exchange {
        var reader = NDJSONReader()
        let bytes = Array(line.utf8)
        return try reader.read(bytes.span)
    }

    func failure(_ line: String) -> RecordError? {
        do {
            _ = try read(line)
            return nil
        } catch {
            return error
        }
    }

    func written(_ exchange: Exchange) throws -> String {
        let record = try #require(seal(exchange, digests: true))
        var writer = NDJSONWriter()
        writer.write(record)
        return text(writer.bytes)
    }

    @Test func whatIsWrittenComesBack() throws {
        let exchange = fullExchange()
        #expect(try read(written(exchange)) == exchange)
    }

    @Test(arguments: [
        Request(method: "OPTIONS", target: "*", authority: "h:1"),
        Request(method: "CONNECT", target: "h:443", scheme: "https", authority: "h:443"),
        Request(target: "http://h/x?y#z", authority: "h"),
        Request(target: "/a#b?c", authority: "u:p@h"),
        Request(target: "", authority: "h"), Request(target: "//x//y", authority: "[::1]:80"),
        Request(target: "relative", scheme: "", authority: ""),
        Request(target: "/", authority: ""),
    ])
    func everyFormOfTargetComesBack(_ request: Request) throws {
        let exchange = Exchange(id: ExchangeID(high: 0, low: 1), request: request)
        #expect(try read(written(exchange)) == exchange)
    }

    @Test func oddBytesComeBackEverywhere() throws {
        let odd = ByteString(oddBytes)
        var exchange = Exchange(id: ExchangeID(high: 0, low: 1))
        var target = Array("/\"\\\n".utf8)
        target.append(0xFF)
        exchange.request = Request(
            method: odd,
            target: ByteString(target),
            authority: odd,
            version: odd
        )
        let bytes = oddBytes
        exchange.request.fields.append(name: bytes.span, value: bytes.span)
        exchange.request.fields.append(name: "é".utf8.span, value: "ü\u{0}\r\n".utf8.span)
        exchange.request.body = Body(oddBytes)
        exchange.response = Response(status: 0, reason: odd, version: odd)
        exchange.original = Original(method: odd, url: odd)
        exchange.state = .cancelled
        #expect(try read(written(exchange)) == exchange)
    }

    @Test func anySplitOfACharacterBetweenNameAndValueComesBack() throws {
        let character = Array("é".utf8)
        var exchange = Exchange(id: ExchangeID(high: 0, low: 1))
        let name = [character[0]]
        let value = [character[1]]
        exchange.request.fields.append(name: name.span, value: value.span)
        #expect(try read(written(exchange)) == exchange)
    }

    @Test func theSmallestRecord() throws {
        let exchange = try read(#"{"v":1,"request":{"method":"GET","url":"http://h"}}"#)
        #expect(exchange.id == ExchangeID(high: 0, low: 0))
        #expect(exchange.state == .failed)
        #expect(exchange.request == Request(target: "/", authority: "h", version: ""))
        #expect(exchange.response == nil)
    }

    @Test func skipsUnknownKeysAndNull() throws {
        let exchange = try read(
            #"""
            {"x":{"deep":[1,{"y":2}]},"v":1,"source":null,"timing":{"zzz_ms":"?","dns_ms":null},
             "request":{"method":"GET","url":"http://h/","headers":null,"cookies":[1],
              "body":{"text":"a","note":true,"size":null}},"response":null,"bytes":{"up":{"q":1}},
             "messages":[{"dir":"up","opcode":1}],"original":{"z":1},"tls":{"z":1}}
            """#
        )
        #expect(exchange.request.body == Body(bytes: [0x61], size: nil))
        #expect(exchange.bytes == ByteCounts())
        #expect(exchange.messages.count == 1)
        #expect(exchange.state == .failed)
    }

    @Test func lastOfTwoKeysCounts() throws {
        let exchange = try read(
            #"{"v":1,"source":"a","source":"b","request":{"method":"GET","url":"http://h"}}"#
        )
        #expect(exchange.source == "b")
    }

    /// Wrong values, each put in place of `%` of a record that is right otherwise.
    @Test(arguments: [
        (#""id":%"#, "1"), (#""id":%"#, #""x""#), (#""source":%"#, "[]"), (#""state":%"#, "1"),
        (#""state":%"#, #""done""#), (#""started":%"#, "12"), (#""started":%"#, #""today""#),
        (#""timing":%"#, "[]"), (#""timing":{"dns_ms":%}"#, #""1""#),
        (#""timing":{"wait_ms":%}"#, "1e300"), (#""client":%"#, "1"), (#""server":%"#, "{}"),
        (#""connection":%"#, "true"), (#""connection":{"reused":%}"#, "1"), (#""tls":%"#, "1"),
        (#""tls":{"sni":%}"#, "1"), (#""server_tls":{"alpn":%}"#, "[]"), (#""response":%"#, "[]"),
        (#""response":{"status":%}"#, "2.5"), (#""response":{"status":%}"#, "-1"),
        (#""response":{"status":%}"#, "1000"), (#""response":{"status":%}"#, #""200""#),
        (#""response":{"reason":%}"#, "1"), (#""response":{"version":%}"#, #"{"base64":1}"#),
        (#""response":{"headers":%}"#, "{}"), (#""response":{"headers":[%]}"#, #""a""#),
        (#""response":{"headers":[%]}"#, #"["a"]"#), (#""response":{"headers":[%]}"#, "[]"),
        (#""response":{"headers":[%]}"#, #"["a","b","c"]"#),
        (#""response":{"headers":[["a",%]]}"#, "1"),
        (#""response":{"headers":[["a",%]]}"#, #"{"text":"x"}"#),
        (#""response":{"trailers":[[%,"a"]]}"#, #"{"base64":"*"}"#),
        (#""response":{"body":%}"#, #""x""#), (#""response":{"body":{"text":%}}"#, "1"),
        (#""response":{"body":{"base64":%}}"#, #""*""#),
        (#""response":{"body":{"size":%}}"#, "-1"), (#""response":{"body":{"size":%}}"#, "1e3"),
        (#""response":{"body":{"size":%}}"#, "99999999999999999999"),
        (#""response":{"body":{"truncated":%}}"#, "0"), (#""response":{"body":{"coding":%}}"#, "1"),
        (#""response":{"body":{"decoded_size":%}}"#, "true"),
        (#""response":{"interim":%}"#, "{}"), (#""response":{"interim":[%]}"#, "1"),
        (#""response":{"interim":[{"status":%}]}"#, "[]"), (#""messages":%"#, "{}"),
        (#""messages":[%]"#, "1"), (#""messages":[{"dir":%}]"#, #""left""#),
        (#""messages":[{"dir":%}]"#, "1"), (#""messages":[{"at_ms":%}]"#, #""1""#),
        (#""messages":[{"type":%}]"#, "1"), (#""messages":[{"text":%}]"#, "1"),
        (#""messages":[{"base64":%}]"#, "1"), (#""messages":[{"size":%}]"#, "-5"),
        (#""messages":[{"truncated":%}]"#, "1"), (#""bytes":%"#, "1"), (#""bytes":{"up":%}"#, "1"),
        (#""bytes":{"down":{"line":%}}"#, "-1"), (#""bytes":{"down":{"headers":%}}"#, "1.5"),
        (#""bytes":{"up":{"body":%}}"#, #""1""#), (#""bytes":{"exact":%}"#, "1"),
        (#""original":%"#, "1"), (#""original":{"method":%}"#, "1"),
        (#""original":{"url":%}"#, "[]"), (#""original":{"status":%}"#, #""1""#),
        (#""tags":%"#, "[]"), (#""tags":{"a":%}"#, "1"), (#""error":%"#, #""x""#),
        (#""error":{"code":%}"#, "1"), (#""error":{"message":%}"#, "1"),
    ])
    func wrongValuesAreErrorsWithTheirByte(_ member: String, _ value: String) throws {
        let start = #"{"v":1,"request":{"method":"GET","url":"http://h"},"#
        let parts = member.split(separator: "%", omittingEmptySubsequences: false)
        let error = try #require(failure("\(start)\(parts[0])\(value)\(parts[1])}"))
        let place = start.utf8.count + parts[0].utf8.count
        #expect(error.code == .wrongShape)
        #expect((place..<place + max(value.utf8.count, 2) + 12).contains(error.byte), "\(error)")
        // The text names keys, never values.
        #expect(!error.message.contains("today") && !error.message.contains("left"))
    }

    @Test(arguments: [
        ("[]", 0), (#""x""#, 1), ("{}", 0), (#"{"v":1}"#, 0), (#"{"v":2,"request":{}}"#, 5),
        (#"{"v":"1"}"#, 6), (#"{"request":{"method":"GET","url":"/"}}"#, 0),
        (#"{"v":1,"request":[]}"#, 17), (#"{"v":1,"request":{"method":"GET"}}"#, 17),
        (#"{"v":1,"request":{"url":"http://h"}}"#, 17),
        (#"{"v":1,"request":{"method":1,"url":"http://h"}}"#, 27),
        (#"{"v":1,"request":{"method":"GET","url":1}}"#, 39),
    ])
    func whatIsNoRecordIsAnError(_ line: String, _ byte: Int) throws {
        let error = try #require(failure(line))
        #expect(error.code == .wrongShape)
        #expect(error.byte == byte, "\(error)")
    }

    @Test func brokenJSONIsAnErrorWithItsByte() throws {
        let error = try #require(failure(#"{"v":1,"id":tru,}"#))
        #expect(error.code == .notJSON)
        #expect(error.byte == 12)
    }

    @Test func everyTruncationIsCutOff() throws {
        let line = try written(fullExchange())
        let bytes = Array(line.utf8.dropLast())
        var reader = NDJSONReader()
        _ = try reader.read(bytes.span)
        for length in stride(from: 1, to: bytes.count, by: 3) {
            let part = Array(bytes[..<length])
            var code: RecordError.Code?
            do { _ = try reader.read(part.span) } catch { code = error.code }
            #expect(code == .cutOff, "\(length)")
        }
    }

    @Test func tooManyTagsAreRefused() throws {
        let tags = (0..<2000).map { #""k\#($0)":"v""# }.joined(separator: ",")
        let error = failure(
            #"{"v":1,"request":{"method":"GET","url":"http://h"},"tags":{\#(tags)}}"#
        )
        #expect(error?.message.contains("too many tags") == true)
    }

    @Test func anyChangeOfAByteIsReadOrRefused() throws {
        let bytes = Array(try written(fullExchange()).utf8)
        var random: UInt64 = 42
        var reader = NDJSONReader()
        var accepted = 0
        for _ in 0..<20_000 {
            var changed = bytes
            for _ in 0..<2 {
                random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                changed[Int(random >> 33) % bytes.count] = UInt8(truncatingIfNeeded: random >> 24)
            }
            do {
                let exchange = try reader.read(changed.span)
                accepted += 1
                _ = try written(exchange)
            } catch let error as RecordError {
                #expect(error.byte >= 0 && error.byte <= bytes.count)
            }
        }
        #expect(accepted > 100)
    }
}
