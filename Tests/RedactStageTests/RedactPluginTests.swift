// SPDX-License-Identifier: MIT

import TaplineModel
import TaplinePlugin
import TaplineSystem
import Testing

@testable import RedactStage

@Suite struct RedactPluginTests {
    @Test func theStageRedactsRecords() throws {
        let factory = try #require(build("{}").factory)
        #expect(factory.hooks == .record)
        #expect(factory.redacts)
        #expect(!factory.cutsBodies)
        #expect(!StagePlugin.redact.hasWireHooks)
        #expect(try factory.makeStage(StageContext(id: "redact")) is any RecordStage)
        #expect(!(try factory.makeStage(StageContext(id: "redact")) is any WireStage))
    }

    @Test func presetNoneHasNoRules() throws {
        let body = #"{"password":"x"}"#
        #expect(try redactBody(body, "application/json", "preset: none") == body)
        #expect(try redactField("Authorization", "x", "preset: none") == "x")
        #expect(try redactField("Cookie", "a=x", "preset: none") == "a=x")
    }

    @Test func logLinesAreSearchedByDetectors() throws {
        let line = "no route to SK-ABCD1234 for U0stQUJDRDEyMzQgYW5k"
        let factory = try #require(build("detectors: key").factory)
        #expect(
            factory.cleaned(logText: line) == "no route to [redacted] for W3JlZGFjdGVkXSBhbmQ="
        )
        #expect(factory.cleaned(logText: "nothing") == "nothing")
        #expect(try #require(build("{}").factory).cleaned(logText: line) == line)
    }

    @Test func checkSuggestsDetectorsIfTheyAreLinked() {
        let suggestion = "secrets are found only by name"
        #expect(build("{}").notes == [suggestion])
        #expect(build("detectors: off").notes.isEmpty)
        #expect(build("{}", detectors: nil).notes.isEmpty)
    }

    @Test func singleRulesNeedNoList() throws {
        #expect(try redactField("X-A", "x", "{headers: x-a, mask: '*'}") == "*")
    }

    @Test func lanesShareTheKeyOfARun() throws {
        let factory = try #require(build("action: hash").factory)
        func hash() throws -> ByteString? {
            let stage = try #require(
                try factory.makeStage(StageContext(id: "redact")) as? any RecordStage
            )
            var full = exchange(fields: ["Authorization": "x"])
            var context = ExchangeContext()
            _ = try stage.record(&full, &context)
            return full.request.fields.first("authorization")
        }
        #expect(try hash() == hash())
        // Another notation is another run.
        #expect(
            try redactField("Authorization", "x", "action: hash")
                != redactField("Authorization", "x", "{ action: hash }")
        )
    }

    @Test func theKeyMayBeInAFile() throws {
        // Any file with enough bytes is a key; this one does not change while the test runs.
        let yaml = "{action: hash, key_file: \"\(#filePath)\"}"
        let first = try redactField("Authorization", "x", yaml)
        #expect(first == (try redactField("Authorization", "x", yaml)))
        #expect(first?.hasPrefix("h-") == true)
    }
}
