// SPDX-License-Identifier: MIT

import TaplineJSON
import Testing

@Suite struct CodedStringsTests {
    @Test(
        arguments: [
            ("", false), ("{}", false), (#"{"a":"b"}"#, false), (#"{"a":"b\n"}"#, true),
            (#"{"base64":"QQ=="}"#, true), (#"{"encoding":"base64","text":"QQ=="}"#, true),
            (#"{"text":"x","coding":"gzip"}"#, true), (#"\"#, true), (#""coding""#, true),
            (#"["Accept-Encoding","gzip"]"#, false), (#"{"a":"xbase64","b":"king"}"#, false),
            (#"{"a":"4","b":"g"}"#, false), (#"base64""#, false), (#"{"BASE64":1}"#, false),
        ]
    )
    func escapesAndDeclarationsAreRecognised(text: String, expected: Bool) {
        // At any position in a block of sixteen bytes.
        for count in 0..<18 {
            let bytes = [UInt8](repeating: 0x20, count: count) + Array(text.utf8)
            #expect(CodedStrings.mayOccur(in: bytes.span) == expected, "after \(count)")
            #expect(CodedStrings.mayOccur(in: (bytes + Array(", 1, 2".utf8)).span) == expected)
        }
    }
}
