// SPDX-License-Identifier: MIT

import TaplineFormats
import Testing

@Suite struct RecordParserTests {
    @Test func aTruncatedLastLineHasItsOwnCode() {
        let first = record("/1") + "\n"
        var codes: [RecordError.Code] = []
        var reader = RecordingReader(file: "f")
        func receive(_ element: RecordingReader.Element) {
            if case .failure(let error) = element { codes.append(error.code) }
        }
        let bytes = Array((first + #"{"v":1,"requ"# + "\n" + #"{"v":1,"req"#).utf8)
        do {
            try reader.read(bytes.span, receive)
            try reader.finish(receive)
        } catch {
            Issue.record(error)
        }
        #expect(codes == [.notJSON, .cutOff])
    }

    @Test func errorsCarryFileLineAndByte() {
        let bad = #"{"v":1,"request":{"method":"GET","url":7}}"#
        let text = [record("/1"), bad, record("/2")].joined(separator: "\n") + "\n"
        let start = record("/1").utf8.count + 1
        let found = verifyChunking(Array(text.utf8))
        #expect(
            found
                == Outcome(elements: [
                    "/1",
                    "f:2: wrong value of 'url'; found a number, "
                        + "expected a string or an object with 'base64' (byte \(start + 39))",
                    "/2",
                ])
        )
    }
}
