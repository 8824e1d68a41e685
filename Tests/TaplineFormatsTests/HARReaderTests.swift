// SPDX-License-Identifier: MIT

import TaplineFormats
import TaplineModel
import TaplinePlugin
import TestSupport
import Testing

@Suite struct HARReaderTests {
    func read(_ text: String) throws -> ([Exchange], LossReport) {
        var exchanges: [Exchange] = []
        var reader = RecordingReader(file: "f.har")
        let bytes = Array(text.utf8)
        try reader.read(bytes.span) { exchanges.append(try $0.get()) }
        try reader.finish { exchanges.append(try $0.get()) }
        return (exchanges, reader.losses)
    }

    func failure(_ entry: String) -> RecordError? {
        var reader = HARReader()
        let bytes = Array(entry.utf8)
        do {
            _ = try reader.read(bytes.span)
            return nil
        } catch {
            return error
        }
    }

    @Test func readsLoneSurrogatesThatBrowsersWrite() throws {
        let (exchanges, _) = try read(
            #"{"log":{"entries":[{"request":{"method":"GET","url":"http://h/"},"response":"#
                + #"{"status":200,"content":{"text":"a\ud800b"}}}]}}"#
        )
        #expect(exchanges[0].response?.body.bytes == Array("a\u{FFFD}b".utf8))
    }

    @Test(arguments: [
        ("[]", 0), ("{}", 0), (#"{"request":1}"#, 11), (#"{"request":{}}"#, 11),
        (#"{"request":{"method":"GET"}}"#, 11), (#"{"request":{"method":"GET","url":1}}"#, 33),
        (#"{"response":[]}"#, 12), (#"{"response":{"status":"2OO"}}"#, 23),
        (#"{"response":{"status":1000}}"#, 22), (#"{"response":{"headers":{}}}"#, 23),
        (#"{"response":{"headers":[1]}}"#, 24), (#"{"response":{"headers":[{}]}}"#, 24),
        (#"{"response":{"headers":[{"name":1}]}}"#, 32),
        (#"{"response":{"headers":[{"name":"a","value":{}}]}}"#, 44),
        (#"{"response":{"content":1}}"#, 23), (#"{"response":{"content":{"text":1}}}"#, 31),
        (#"{"request":{"postData":1}}"#, 23),
        (#"{"request":{"postData":{"params":1}}}"#, 33),
        (#"{"request":{"postData":{"params":[1]}}}"#, 34), (#"{"timings":1}"#, 11),
        (#"{"response":{"headers":[{"name":"a","value":[[]]}]}}"#, 45),
        (#"{"request":{"method":[]}}"#, 21),
    ])
    func wrongValuesAreErrorsWithTheirByte(_ entry: String, _ byte: Int) throws {
        let error = try #require(failure(entry), "\(entry)")
        #expect(error.code == .wrongShape, "\(entry)")
        #expect(error.byte == byte, "\(entry)")
    }

    /// Deviations from HAR 1.2 in files of tools are read, and counted as findings.
    @Test(arguments: [
        (#""startedDateTime":"now""#, "startedDateTime"),
        (#""startedDateTime":1"#, "startedDateTime"),
        (#""time":"x""#, "times"), (#""timings":{"dns":"1"}"#, "times"),
        (#""response":{"status":200,"bodySize":"1"}"#, "sizes"),
        (#""response":{"status":"200"}"#, "status"), (#""response":{"statusText":200}"#, "texts"),
        (#""_webSocketMessages":{"count":3}"#, "_webSocketMessages"),
        (#""_webSocketMessages":[{"time":"x"}]"#, "times"),
        (#""response":{"status":200,"content":{"encoding":1,"text":"*"}}"#, "encoding"),
        (#""response":{"status":200,"content":{"encoding":"base64","text":"*"}}"#, "base64"),
    ])
    func oddValuesAreFindings(_ member: String, _ finding: String) throws {
        var reader = HARReader()
        let entry = Array(#"{"request":{"method":"GET","url":"http://h/"},\#(member)}"#.utf8)
        let exchange = try reader.read(entry.span)
        #expect(exchange.request.url == "http://h/")
        #expect(reader.findings.losses.map(\.field).filter { $0.hasPrefix(finding) }.count == 1)
        #expect(reader.losses.isEmpty == (finding != "base64"))
    }

    @Test func scalarsAreReadAsTexts() throws {
        var reader = HARReader()
        let entry = Array(
            #"{"request":{"method":7,"url":"http://h/"},"response":{"status":"404"}}"#.utf8
        )
        let exchange = try reader.read(entry.span)
        #expect(exchange.request.method == "7" && exchange.response?.status == 404)
        #expect(
            reader.findings.losses.map(\.field) == [
                "texts (not a string, read as one)", "status (a string, read as a number)",
            ]
        )
    }

    /// Each of these was once lost without being counted.
    @Test(arguments: [
        (
            #""url":"http://h/","headers":[{"name":"A","value":[]},{"name":"B","value":"1"}]"#, "",
            "headers (without a value)"
        ),
        (#""url":"http://h/","url_fragment":"x""#, "", "request.url_fragment"),
        (#""url":"http://h/""#, #","comment":"a","_tags":{"comment":"x"}"#, "_tags.comment"),
        (#""url":"http://h/""#, #","_tags":{"comment":"x"},"comment":"a""#, "_tags.comment"),
        (#""url":"http://h/""#, #","_tags":{"comment":"a"},"comment":"a""#, ""),
    ])
    func lossesAreCounted(_ request: String, _ entry: String, _ loss: String) throws {
        let text = #"{"log":{"entries":[{"request":{"method":"GET",\#(request)}\#(entry)}]}}"#
        let (exchanges, losses) = try HARRoundTripTests.read(text)
        #expect(losses.losses.map(\.field) == (loss.isEmpty ? [] : [loss]))
        let comment = entry.isEmpty ? nil : "a"
        #expect(exchanges.first?.tags["comment"] == comment)
        #expect(try HARRoundTripTests.write(exchanges).1.isEmpty)
    }

    /// Tools declare texts as base64 that are not; the text is kept, and the declaration is lost.
    @Test(arguments: ["content", "postData"])
    func invalidBase64IsReadAsText(_ part: String) throws {
        for text in [
            "*", "<html>x</html>", "Not Found", "CONNECT", "hello world", "not-found-it", "[1]",
            "token hunterSecretZ9aQ41",
        ] {
            var reader = HARReader()
            let member = #""\#(part)":{"encoding":"base64","text":"\#(text)"}"#
            let (own, other) = part == "content" ? ("", member) : (",\(member)", #""status":200"#)
            let request = #""method":"GET","url":"http://h/"\#(own)"#
            let entry = Array(#"{"request":{\#(request)},"response":{\#(other)}}"#.utf8)
            let exchange = try reader.read(entry.span)
            let body = part == "content" ? exchange.response?.body : exchange.request.body
            #expect(body?.bytes == Array(text.utf8), "\(text)")
            #expect(reader.findings.losses.map(\.field) == ["base64 (malformed, read as text)"])
            #expect(
                reader.losses.losses.map(\.field) == ["encoding (malformed base64)"]
            )
        }
    }

    @Test func extraDataBeyondTheLimitIsCounted() throws {
        var reader = HARReader(maxExtraBytes: 40)
        let long = String(repeating: "x", count: 100)
        let entry = Array(
            #"{"request":{"method":"GET","url":"http://h/"},"_a":1,"_b":"\#(long)"}"#.utf8
        )
        let exchange = try reader.read(entry.span)
        #expect(exchange.har == #"{"entry":{"_a":1}}"#)
        #expect(reader.losses.losses.map(\.field) == ["har (beyond the limit)"])
    }

    @Test func anyChangedByteIsReadOrRejected() throws {
        let whole = Array(HARFixtures.mitmproxy.utf8)
        var random = Random(seed: 7)
        for _ in 0..<3000 {
            var changed = whole
            for _ in 0..<3 {
                changed[random.below(whole.count)] = random.byte()
            }
            let cut = random.below(whole.count)
            #expect(
                outcome([changed]) == outcome([Array(changed[..<cut]), Array(changed[cut...])])
            )
        }
    }
}
