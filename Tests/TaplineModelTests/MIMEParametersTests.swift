// SPDX-License-Identifier: MIT

import Testing

@testable import TaplineModel

@Suite struct MIMEParametersTests {
    private func readings(_ value: String, _ name: String = "name") -> MIMEParameters.Readings {
        MIMEParameters(value.utf8.span).readings(of: name)
    }

    private func first(_ value: String) -> String? {
        readings(value).texts.first.map { String(decoding: $0, as: UTF8.self) }
    }

    @Test(arguments: [
        ("form-data; name=a", "a"), (#"form-data; NAME = "a b""#, "a b"),
        (#"form-data; filename="x;name=y"; name="a""#, "a"),
        (#"form-data; name="a\"b\\c""#, #"a"b\c"#),
        ("form-data; name*=UTF-8'en'caf%C3%A9", "café"),
        ("form-data; name*1=ef; name*0=abcd", "abcdef"),
        ("form-data; name*0*=utf-8''a%62; name*1*=%63; name*2=%64", "abc%64"),
        ("form-data;; name=a;", "a"), ("form-data; name=a; name=a", "a"), ("name=a", "a"),
        ("form-data; name=''", "''"), (#"form-data; name="""#, ""),
    ])
    func singleReadingIsFound(value: String, expected: String) {
        #expect(first(value) == expected)
        #expect(!readings(value).isDoubtful)
    }

    @Test(arguments: [
        "form-data; name=a; name=b", "form-data; name=a; name*=utf-8''b", #"form-data; name="a"#,
        #"form-data; name="a"b"#, #"form-data; name=a"b""#, "form-data name=a",
        "form-data; (x) name=a", "form-data; name*=utf-16''a", "form-data; name*0=a; name*2=b",
        "form-data; name*0=a; name*0=b", "form-data; name*1=a", "form-data; name*x=a",
        #"form-data; name="a\"#,
    ])
    func ambiguousParametersAreDoubtful(value: String) {
        #expect(readings(value).isDoubtful)
    }

    @Test func includesReadingsWithoutEscapes() {
        let value = #"form-data; filename="x\"; name=password; y=""#
        #expect(readings(value).texts.contains(Array("password".utf8)))
    }

    @Test func ignoresOtherParameters() {
        #expect(readings("form-data; filename=a; names=b").texts.isEmpty)
        #expect(!readings("form-data; filename=a; names=b").isDoubtful)
        #expect(readings("").texts.isEmpty)
    }

    @Test(.timeLimit(.minutes(1)), arguments: [";", "name=", "\"", "\\", "=;\"", "name*0=a;"])
    func longValuesTakeLinearTime(unit: String) {
        _ = readings("form-data; name=\"" + String(repeating: unit, count: 1 << 16))
        _ = readings("form-data;" + String(repeating: unit, count: 1 << 16))
    }
}
