// SPDX-License-Identifier: MIT

import TaplineConfig
import TaplinePlugin
import TaplineSystem
import TestSupport
import Testing

@testable import SQLiteSink

@Suite struct SQLiteSinkPluginTests {
    let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder("traffic.db")
    }

    private func choices(_ path: String) -> Options {
        var options = Options(SQLiteSinkOptions.schema, owner: "sqlite")
        options[SQLiteSinkOptions.path] = path
        return options
    }

    @Test func buildingCreatesNoFiles() throws {
        var context = BuildContext(id: "sqlite")
        let options = choices(path)
        let factory = try #require(SinkPlugin.sqlite.build(options, &context))
        #expect(factory.claims == [.file(path)])
        #expect(factory.needsDigests)
        #expect(factory.wantsActive)
        #expect(factory.batchLimit == 4096)
        #expect(try FileSystem.names(in: folder.path).isEmpty)
        let stream = choices("-")
        #expect(SinkPlugin.sqlite.build(stream, &context) == nil)
        #expect(context.diagnostics.rendered.contains("'sqlite' cannot write to a stream"))
    }
}
