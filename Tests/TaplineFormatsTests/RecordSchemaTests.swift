// SPDX-License-Identifier: MIT

import Glibc
import TaplineFormats
import TaplineModel
import TaplinePlugin
import TestSupport
import Testing

/// Validates written records against the JSON Schema with an external validator.
@Suite struct RecordSchemaTests {
    struct Failed: Error {}

    /// Runs `Tests/Scripts/validate` over texts; returns whether all of them are valid.
    func validates(_ texts: [String]) throws -> Bool {
        let schema = "Sources/Pipeline/TaplineFormats/record-v1.schema.json"
        let folder = try TemporaryFolder()
        let files = try texts.enumerated().map { index, text in
            try folder.write(text, to: "\(index).json")
        }
        let command =
            "cd '\(TestFiles.repository)' && /usr/bin/python3 Tests/Scripts/validate \(schema) "
            + files.joined(separator: " ") + " 2>&1"
        guard let process = unsafe popen(command, "r") else { throw Failed() }
        while unsafe fgetc(process) != EOF {}
        let status = unsafe pclose(process)
        // 0 is valid, 1 is not; anything else means that nothing was validated.
        try #require(status == 0 || status >> 8 == 1)
        return status == 0
    }

    func line(_ exchange: Exchange) throws -> String {
        var writer = NDJSONWriter()
        writer.write(try #require(seal(exchange, digests: true)))
        return text(writer.bytes)
    }

    @Test func writtenRecordsAreValid() throws {
        var lines = [
            try line(fullExchange()),
            try line(Exchange(id: ExchangeID(high: 0, low: 0), response: Response())),
        ]
        for fixture in [HARFixtures.chrome, HARFixtures.charles, HARFixtures.mitmproxy] {
            var reader = RecordingReader(file: "f")
            let bytes = Array(fixture.utf8)
            try reader.read(bytes.span) { lines.append(try line($0.get())) }
        }
        #expect(lines.count >= 10 - 2)
        #expect(try validates(lines))
    }

    @Test(arguments: [
        #"{"request":{"method":"GET","url":"http://h"}}"#,
        #"{"v":2,"request":{"method":"GET","url":"http://h"}}"#, #"{"v":1}"#,
        #"{"v":1,"request":{"method":"GET"}}"#,
        #"{"v":1,"request":{"method":"GET","url":"/"},"state":"done"}"#,
        #"{"v":1,"request":{"method":"GET","url":"/"},"response":{"status":"200"}}"#,
        #"{"v":1,"request":{"method":"GET","url":"/","headers":{"a":"b"}}}"#,
        #"{"v":1,"request":{"method":"GET","url":"/","headers":[["a"]]}}"#,
        #"{"v":1,"request":{"method":"GET","url":"/","body":{"base64":"*"}}}"#,
        #"{"v":1,"request":{"method":"GET","url":"/"},"timing":{"dns_ms":"1"}}"#,
        #"{"v":1,"request":{"method":"GET","url":"/"},"tags":{"a":1}}"#,
        #"{"v":1,"request":{"method":"GET","url":"/"},"har":[]}"#,
        #"{"v":1,"request":{"method":"GET","url":"/"},"provenance":{}}"#,
        #"{"v":1,"request":{"method":"GET","url":"/"},"provenance":[{"hook":1}]}"#,
        #"{"v":1,"request":{"method":"GET","url":"/"},"provenance":[{"failed":1}]}"#,
        #"{"v":1,"request":{"method":"GET","url":"/"},"provenance":[{"changes":[1]}]}"#,
        #"{"v":1,"request":{"method":"GET","url":"/"},"provenance":[{"changes":[{"count":-1}]}]}"#,
        #"{"v":1,"request":{"method":"GET","url":"/"},"provenance":[{"details":{}}]}"#,
        #"{"v":1,"request":{"method":"GET","url":"/"},"replay":{}}"#,
        #"{"v":1,"request":{"method":"GET","url":"/"},"notes":["text"]}"#,
        #"{"v":1,"request":{"method":"GET","url":"/"},"stream":{"client":{"id":-1}}}"#,
        #"{"v":1,"request":{"method":"GET","url":"/"},"grpc":{"status":"0"}}"#,
    ])
    func recordsThatTheReaderRejectsAreInvalid(_ record: String) throws {
        #expect(try !validates([record]))
        var reader = NDJSONReader()
        let bytes = Array(record.utf8)
        #expect(throws: RecordError.self) { try reader.read(bytes.span) }
    }

    @Test func unknownKeysAndNullAreValid() throws {
        let record =
            #"{"v":1,"x":[1],"id":null,"request":{"method":"GET","url":"/","headers":null,"y":1},"#
            + #""response":null,"tags":null}"#
        #expect(try validates([record]))
    }
}
