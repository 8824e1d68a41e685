// SPDX-License-Identifier: MIT

import TaplineFormats
import TaplineModel
import TaplinePlugin
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
        (#"{"startedDateTime":"now"}"#, 20), (#"{"startedDateTime":1}"#, 19), (#"{"time":"x"}"#, 9),
        (#"{"response":[]}"#, 12), (#"{"response":{"status":"200"}}"#, 23),
        (#"{"response":{"status":1000}}"#, 22), (#"{"response":{"headers":{}}}"#, 23),
        (#"{"response":{"headers":[1]}}"#, 24), (#"{"response":{"headers":[{}]}}"#, 24),
        (#"{"response":{"headers":[{"name":1}]}}"#, 32),
        (#"{"response":{"headers":[{"name":"a","value":[]}]}}"#, 44),
        (#"{"response":{"content":1}}"#, 23), (#"{"response":{"content":{"text":1}}}"#, 31),
        (#"{"response":{"content":{"encoding":"base64","text":"*"}}}"#, 52),
        (#"{"response":{"bodySize":"1"}}"#, 25), (#"{"request":{"postData":1}}"#, 23),
        (#"{"request":{"postData":{"params":1}}}"#, 33),
        (#"{"request":{"postData":{"params":[1]}}}"#, 34), (#"{"timings":1}"#, 11),
        (#"{"timings":{"dns":"1"}}"#, 19), (#"{"serverIPAddress":1}"#, 19),
        (#"{"request":{"method":"G","url":"u"},"_webSocketMessages":1}"#, 57),
    ])
    func wrongValuesAreErrorsWithTheirByte(_ entry: String, _ byte: Int) throws {
        let error = try #require(failure(entry), "\(entry)")
        #expect(error.code == .wrongShape, "\(entry)")
        #expect(error.byte == byte, "\(entry)")
    }

    @Test func anyChangeOfAByteIsReadOrRefused() throws {
        let whole = Array(HARFixtures.mitmproxy.utf8)
        var random: UInt64 = 7
        for _ in 0..<3000 {
            var changed = whole
            for _ in 0..<3 {
                random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                changed[Int(random >> 33) % whole.count] = UInt8(truncatingIfNeeded: random >> 24)
            }
            let cut = Int(random >> 40) % whole.count
            #expect(
                outcome([changed]) == outcome([Array(changed[..<cut]), Array(changed[cut...])])
            )
        }
    }
}
