// SPDX-License-Identifier: MIT

import TaplineFormats
import TaplineModel
import TaplinePlugin
import Testing

@Suite struct JSONValueTests {
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

    /// Wrong values, each replacing `%` in an otherwise valid record.
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
}
