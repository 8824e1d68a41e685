// SPDX-License-Identifier: MIT

import TaplineConfig
import TaplineModel
import TaplinePlugin
import TaplineTesting
import Testing

@testable import CorrelateStage

@Suite struct CorrelateTests {
    private static let trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

    /// Returns the tags that a stage with these options records for an exchange.
    private func tags(
        _ options: String,
        request: [(name: String, value: String)] = [],
        body: String = "",
        kept: Body? = nil,
        response: [(name: String, value: String)]? = nil,
        answer: String = ""
    ) async throws -> [String: String] {
        var exchange = Exchange(id: ExchangeID(high: 1, low: 2))
        exchange.request.fields = FieldSection(request)
        exchange.request.body = kept ?? Body(Array(body.utf8))
        exchange.response = response.map {
            Response(fields: FieldSection($0), body: Body(Array(answer.utf8)))
        }
        let records = try await PluginHarness.records(
            of: [exchange],
            through: .correlate,
            options: options
        )
        let record = try #require(records.first)
        return Dictionary(uniqueKeysWithValues: record.tags.map { ($0.name, $0.value) })
    }

    @Test func traceAndRequestIDsAreRecordedByDefault() async throws {
        let trace = ("Traceparent", Self.trace)
        let id = "0af7651916cd43dd8448eb211c80319c"
        #expect(
            try await tags("", request: [("x-request-id", "r1"), trace]) == ["correlation": id]
        )
        #expect(try await tags("from: TraceParent", request: [trace]) == ["correlation": id])
        #expect(try await tags("", request: [("X-Request-ID", "r1")]) == ["correlation": "r1"])
        #expect(try await tags("", response: [("x-correlation-id", "c")]) == ["correlation": "c"])
        #expect(try await tags("", request: [("traceparent", "00-0")]) == [:])
        #expect(try await tags("", request: [("x-request-id", "")]) == [:])
        // An empty field counts as missing, so the response is searched.
        #expect(
            try await tags("", request: [("x-request-id", "")], response: [("x-request-id", "r")])
                == ["correlation": "r"]
        )
    }

    @Test(arguments: [
        ("$.meta.id", #"{"meta":{"id":"a"}}"#, "a"),
        ("$.list[1].id", #"{"list":[0,{"id":7}]}"#, "7"),
        ("$['odd.name'][0]", #" {"odd.name":[true]}"#, "true"), ("$.a", #"{"a":{}}"#, nil),
        ("$.a", #"{"a":null}"#, nil), ("$.a.b", #"{"a":"x"}"#, nil), ("$[0]", "[\"z\"]", "z"),
        ("$.a", "{\"a\":", nil), ("$.a", "text", nil), ("$.a", #"{"a":"\u00e9"}"#, "é"),
    ])
    func pathsSelectValues(path: String, body: String, id: String?) async throws {
        let found = try await tags("from: [\"\(path)\"]", body: body)
        #expect(found["correlation"] == id)
        let answered = try await tags("from: [\"\(path)\"]", response: [], answer: body)
        #expect(answered["correlation"] == id)
    }

    @Test func theFirstValuePerTagWins() async throws {
        let options = "from: [X-A, X-B, { header: X-C, tag: c }, { json: $.d, tag: c }]"
        let fields = [("X-B", "b"), ("X-A", "a"), ("X-C", "1")]
        #expect(
            try await tags(options, request: fields, body: #"{"d":"2"}"#)
                == ["correlation": "a", "c": "1"]
        )
        #expect(
            try await tags(options, request: [("X-B", "b")], body: #"{"d":"2"}"#)
                == ["correlation": "b", "c": "2"]
        )
    }

    @Test func inSelectsTheMessage() async throws {
        for (message, id) in [("request", "a"), ("response", "b"), ("any", "a")] {
            let found = try await tags(
                "from: [{ header: X-ID, in: \(message) }]",
                request: [("X-ID", "a")],
                response: [("X-ID", "b")]
            )
            #expect(found == ["correlation": id])
        }
        let options = "from: [{ header: X-ID, in: request }]"
        #expect(try await tags(options, response: [("X-ID", "b")]) == [:])
    }

    @Test func encodedBodiesAreReadUpToTheLimitAndTruncatedOnesNever() async throws {
        let json = Array(#"{"a":"b"}"#.utf8)
        /// The same text compressed with gzip, and a text that is 2,000 bytes longer.
        let small: [UInt8] = [
            31, 139, 8, 0, 0, 0, 0, 0, 2, 3, 171, 86, 74, 84, 178, 82, 74, 82, 170, 5, 0, 156, 92,
            246, 107, 9, 0, 0, 0,
        ]
        let large: [UInt8] = [
            31, 139, 8, 0, 0, 0, 0, 0, 2, 3, 171, 86, 74, 84, 178, 82, 74, 82, 210, 81, 170, 0, 210,
            6, 163, 96, 20, 140, 130, 81, 48, 10, 70, 193, 40, 24, 242, 64, 169, 22, 0, 203, 179,
            107, 188, 224, 7, 0, 0,
        ]
        let coded = Body(bytes: small, size: nil, coding: "gzip")
        #expect(try await tags("from: $.a", kept: coded) == ["correlation": "b"])
        let bomb = Body(bytes: large, size: nil, coding: "gzip")
        #expect(try await tags("from: $.a", kept: bomb) == ["correlation": "b"])
        #expect(try await tags("{ from: $.a, max_body: 100B }", kept: bomb) == [:])
        let cut = Body(bytes: json, size: 100, isTruncated: true)
        #expect(try await tags("from: $.a", kept: cut) == [:])
    }

    /// `phone-7.s%31.x` and JSON, in base64 and other encodings.
    @Test(
        arguments: [
            (
                "decode: base64, separator: '.', parts: [device, { name: session, decode: percent }, _]",
                "cGhvbmUtNy5zJTMxLng",
                [
                    "correlation": "cGhvbmUtNy5zJTMxLng", "correlation.device": "phone-7",
                    "correlation.session": "s1",
                ]
            ),
            ("separator: '--', parts: [_, id]", "a--b--c", ["correlation": "b"]),
            (
                "separator: '-', parts: [a, b, c]", "1--3",
                ["correlation": "1--3", "correlation.a": "1", "correlation.c": "3"]
            ),
            (
                "decode: [percent, base64], parts: [{ name: user, json: $.u, decode: hex }, { name: id, json: $.i }]",
                "eyJ1IjoiNjE2MiIsImkiOjQyfQ%3D%3D", ["correlation": "42", "correlation.user": "ab"]
            ),
            ("decode: base64", "no base64!", [:]), ("decode: hex", "6162", ["correlation": "ab"]),
            ("decode: hex", "616", [:]), ("decode: hex", "00", [:]), ("decode: hex", "ff", [:]),
            ("decode: hex", "417f", [:]),
            ("decode: hex, parts: [a]", "6162", ["correlation": "6162", "correlation.a": "ab"]),
        ] as [(String, String, [String: String])]
    )
    func partsAreDecoded(rule: String, value: String, expected: [String: String]) async throws {
        let found = try await tags("from: [{ header: X-ID, \(rule) }]", request: [("X-ID", value)])
        #expect(found == expected)
    }

    @Test func longValuesAndBodiesAreIgnored() async throws {
        let field = [("x-request-id", "12345")]
        #expect(try await tags("max_bytes: 5B", request: field) == ["correlation": "12345"])
        #expect(try await tags("max_bytes: 4B", request: field) == [:])
        let body = #"{"a":"b"}"#
        #expect(try await tags("{ from: $.a, max_body: 9B }", body: body) == ["correlation": "b"])
        #expect(try await tags("{ from: $.a, max_body: 8B }", body: body) == [:])
    }

    @Test(arguments: [
        "from: []", "from: ['']", "from: [$]", "from: [$x]", "from: [$.]", "from: ['$[a]']",
        "from: [\"$['a\"]", "from: [{ tag: x }]", "from: [{ header: A, json: $.a }]",
        "from: [{ header: A, decode: rot13 }]", "from: [{ header: A, tag: '' }]",
        "from: [{ heade: A }]", "from: ['$[-1]']",
        "from: [$\(String(repeating: ".a", count: 33))]",
        "from: [$.a.*]", "from: [{ header: A, parts: [{ json: $.a }] }]",
    ])
    func invalidOptionsAreRejected(options: String) async {
        await #expect(throws: PluginHarnessError.self) { try await tags(options) }
    }
}

@Suite("correlate conformance")
struct CorrelateConformanceTests {
    @Test(arguments: [
        "{}", "from: [traceparent, $.a.b, { header: X-ID, decode: base64, parts: [a] }]",
    ])
    func conforms(options: String) async {
        let found = await Conformance.violations(of: .correlate, options: options)
        #expect(found.isEmpty, "\(found)")
    }
}
