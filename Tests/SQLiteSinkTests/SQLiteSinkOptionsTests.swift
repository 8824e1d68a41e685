// SPDX-License-Identifier: MIT

import TaplineConfig
import TaplineModel
import TaplinePlugin
import TaplineSystem
import Testing

@testable import SQLiteSink

@Suite struct SQLiteSinkOptionsTests {
    private func decode(_ yaml: String) throws -> (Options?, String) {
        var diagnostics = Diagnostics()
        let source = ConfigSource(name: "test.yaml", bytes: Array(yaml.utf8), folder: "/data")
        let node = try #require(ConfigReader().read(source, into: &diagnostics))
        let options = SinkPlugin.sqlite.description.options.decode(
            node,
            owner: "sqlite",
            into: &diagnostics,
            environment: Environment()
        )
        return (options, diagnostics.rendered)
    }

    @Test func defaultsMatchTheSettings() throws {
        let settings = SQLiteSinkSettings(try #require(decode("path: traffic.db").0))
        let plain = SQLiteSinkSettings(path: "/data/traffic.db")
        #expect("\(settings)" == "\(plain)")
    }

    @Test func everyOptionIsDecoded() throws {
        let (options, _) = try decode(
            """
            path: /var/t.db
            sync: batch
            compress: true
            inline_body_max: 1KiB
            indexes: [duration, host]
            retention: { count: 10, age: 30d, bytes: 1GiB }
            busy_timeout: 100ms
            checkpoint: 16MiB
            path_templates: 5
            body_set_memory: 1MiB
            """
        )
        let settings = SQLiteSinkSettings(try #require(options))
        #expect(settings.path == "/var/t.db")
        #expect(settings.sync == .batch)
        #expect(settings.compress)
        #expect(settings.inlineBodyMax == 1024)
        #expect(settings.indexes.map(\.name) == ["host", "duration"])
        #expect(settings.retention.count == 10)
        #expect(settings.retention.age == Microseconds(30 * 86_400_000_000))
        #expect(settings.retention.bytes == 1 << 30)
        #expect(settings.busyTimeout == .milliseconds(100))
        #expect(settings.checkpoint == 16 << 20)
        #expect(settings.pathTemplates == 5)
        #expect(settings.bodySetMemory == 1 << 20)
    }

    @Test(arguments: [
        ("{}", "option 'path' is missing"),
        ("{path: a, indexes: [hosts]}", "did you mean 'host'?"),
        ("{path: a, retention: {age: 30}}", "the unit is missing"),
        ("{path: a, retention: {count: 0}}", "out of range"),
        ("{path: a, sync: always}", "expected none, batch"),
    ])
    func mistakesAreReported(yaml: String, message: String) throws {
        let (options, text) = try decode(yaml)
        #expect(options == nil)
        #expect(text.contains(message))
    }
}
