// SPDX-License-Identifier: MIT

import Synchronization
import TaplineModel
import TaplinePlugin
import TaplineSystem
import Testing

@testable import LuaStage

@Suite struct ScriptReloaderTests {
    /// A script in a temporary folder, and the stages that run it.
    private final class Case {
        let folder: String
        let factory: LuaStageFactory
        let stages: [any Stage]
        private let lines = LineList()

        var path: String { "\(folder)/script.lua" }
        var log: [String] { lines.all }

        init(_ code: String, lanes: Int = 1) throws {
            folder = try FileSystem.makeTemporaryFolder(prefix: "tapline-lua")
            let path = "\(folder)/script.lua"
            try File(path, for: .create).write(code.utf8.span)
            var environment = LuaEnvironment()
            environment.moduleFolder = folder
            let factory = try LuaStageFactory(
                LuaScript(path: path, text: Array(code.utf8)),
                limits: LuaLimits(instructions: 100_000),
                config: nil,
                reloads: true,
                environment: environment,
                interval: nil
            )
            self.factory = factory
            let lines = self.lines
            let log = Log(component: "lua") { entry in
                lines.append("\(entry.level.name): \(entry.message)")
            }
            stages = try (0..<lanes).map {
                let stage = try factory.makeStage(StageContext(id: "lua", lane: $0, log: log))
                try stage.start()
                return stage
            }
        }

        deinit { try? FileSystem.removeFolder(folder) }

        /// Writes the script, or another file, as editors do, and has it checked.
        func write(_ code: String, to name: String = "script.lua") throws {
            try File("\(folder)/new", for: .create).write(code.utf8.span)
            try FileSystem.move("\(folder)/new", to: "\(folder)/\(name)")
            pass()
        }

        /// Has the files checked.
        func pass() { factory.checkFiles() }

        /// Runs the script for an exchange, and returns the tag that it sets.
        func run(lane: Int = 0) throws -> String? {
            var exchange = Exchange.sample
            var context = ExchangeContext()
            _ = try (stages[lane] as? any RecordStage)?.record(&exchange, &context)
            return exchange.tags["n"]
        }

        func count(_ name: String) -> Int? { factory.metrics.first { $0.name == name }?.count }
    }

    @Test func aChangedScriptRunsInEveryLane() throws {
        let test = try Case("function record(ex) ex.tags.n = 'old' end", lanes: 2)
        #expect(try test.run() == "old")
        #expect(try test.run(lane: 1) == "old")
        try test.write("function record(ex) ex.tags.n = 'new' end")
        #expect(try test.run() == "new")
        #expect(try test.run(lane: 1) == "new")
        #expect(test.log == ["info: \(test.path) was reloaded"])
        #expect(test.count("reloads") == 1)
        #expect(test.count("refused reloads") == 0)
    }

    @Test func startAndStopRunOnReload() throws {
        let test = try Case(
            "function start() log('start 1') end function stop() log('stop 1') end "
                + "function record(ex) end"
        )
        try test.write("function start() log('start 2') end function record(ex) end")
        _ = try test.run()
        #expect(
            test.log == [
                "info: start 1", "info: start 2", "info: \(test.path) was reloaded", "info: stop 1",
            ]
        )
    }

    @Test(arguments: [
        ("function record(ex) end end", "<eof> expected near 'end'"),
        ("function record(ex)", "'end' expected near <eof>"),
        ("local x = nil + 1 function record(ex) end", "attempt to perform arithmetic"),
        ("while true do end", "script stopped after 100000 instructions"),
        ("local x = 1", "script has no hook"),
        (
            "function record(ex) end function request(ex) end",
            "script has a hook that it did not have when the pipeline was built"
        ),
    ])
    func anInvalidChangeIsRefusedAndLoggedOnce(code: String, message: String) throws {
        let test = try Case("function record(ex) ex.tags.n = 'old' end")
        try test.write(code)
        for _ in 0..<3 { #expect(try test.run() == "old") }
        test.pass()
        #expect(try test.run() == "old")
        #expect(test.log.count == 1)
        #expect(test.log.first?.contains(message) == true, "\(test.log)")
        #expect(test.log.first?.hasSuffix("; the previous script stays in use") == true)
        #expect(test.count("refused reloads") == 1)
        try test.write("function record(ex) ex.tags.n = 'mended' end")
        #expect(try test.run() == "mended")
    }

    @Test func aFailingStartKeepsTheOldScript() throws {
        let test = try Case("function record(ex) ex.tags.n = 'old' end", lanes: 2)
        try test.write("function start() error('x') end function record(ex) ex.tags.n = 'new' end")
        for lane in [0, 0, 1] { #expect(try test.run(lane: lane) == "old") }
        #expect(test.log.count == 1)
        #expect(test.log.first?.contains("in hook 'start'") == true)
        #expect(test.count("reloads") == 0)
        #expect(test.count("refused reloads") == 1)
    }

    @Test func aHookMayBeRemoved() throws {
        let test = try Case("function record(ex) ex.tags.n = 'old' end function request(ex) end")
        try test.write("function request(ex) end")
        #expect(try test.run() == nil)
    }

    @Test func aTemporarilyMissingFileChangesNothing() throws {
        let test = try Case("function record(ex) ex.tags.n = 'old' end")
        try FileSystem.remove(test.path)
        test.pass()
        #expect(try test.run() == "old")
        try test.write("function record(ex) ex.tags.n = 'new' end")
        #expect(try test.run() == "new")
        #expect(test.log == ["info: \(test.path) was reloaded"])
    }

    @Test func anUnchangedFileIsNotReloaded() throws {
        let test = try Case("n = 0 function record(ex) n = n + 1 ex.tags.n = n end")
        for call in 1...3 {
            #expect(try test.run() == "\(call)")
            test.pass()
        }
        #expect(test.log.isEmpty)
    }

    @Test func aScriptIsReadAgainOnceAMissingModuleAppears() throws {
        let test = try Case("function record(ex) ex.tags.n = 'old' end")
        try test.write("local m = require('parts.m') function record(ex) ex.tags.n = m.n end")
        #expect(try test.run() == "old")
        #expect(test.log.first?.contains("module not found") == true, "\(test.log)")
        try FileSystem.makeFolder("\(test.folder)/parts")
        try test.write("return { n = 'module' }", to: "parts/m.lua")
        #expect(try test.run() == "module")
        try test.write("return { n = 'changed' }", to: "parts/m.lua")
        #expect(try test.run() == "changed")
        #expect(test.count("reloads") == 2)
        #expect(test.count("refused reloads") == 1)
    }
}
