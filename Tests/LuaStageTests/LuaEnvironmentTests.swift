// SPDX-License-Identifier: MIT

import Glibc
import TaplineModel
import TaplinePlugin
import TaplineSystem
import TestSupport
import Testing

@testable import LuaStage

/// The resources outside of their state that scripts can reach: modules, files and the shared
/// store.
@Suite struct LuaEnvironmentTests {
    /// A folder with files, and a sibling folder that scripts must not read.
    private final class Folder {
        let path: String
        let inside: String

        init(_ files: [String: String]) throws {
            path = try FileSystem.makeTemporaryFolder(prefix: "tapline-lua")
            inside = "\(path)/inside"
            try FileSystem.makeFolder(inside)
            try FileSystem.makeFolder("\(inside)/lib")
            try File("\(path)/secret.lua", for: .create).write("return 'secret'".utf8.span)
            for (name, text) in files { try write(name, text) }
        }

        deinit { try? FileSystem.removeFolder(path) }

        func write(_ name: String, _ text: String) throws {
            try File("\(inside)/\(name)", for: .create).write(text.utf8.span)
        }

        func link(_ name: String, to target: String) throws {
            try #require(unsafe symlink(target, "\(inside)/\(name)") == 0)
        }
    }

    private final class Run {
        let stage: LuaStage
        private let lines = LineList()
        var log: [String] { lines.all }
        var exchange = Exchange.sample

        init(
            _ code: String,
            _ folder: Folder? = nil,
            store: SharedStore? = SharedStore(maxBytes: 4096),
            clock: @escaping @Sendable () -> Timestamp = { Timestamp(microseconds: 1_000_000) }
        ) throws {
            let lines = self.lines
            var setup = LuaSetup(limits: LuaLimits(memory: 1 << 20))
            setup.environment.moduleFolder = folder?.inside ?? "/nowhere"
            setup.environment.fileFolder = folder?.inside ?? "/nowhere"
            setup.store = store
            stage = try LuaStage(
                LuaScript(path: "\(folder?.inside ?? "")/main.lua", text: Array(code.utf8)),
                setup,
                context: StageContext(
                    id: "lua",
                    log: Log(component: "lua") { lines.append($0.message) },
                    clock: clock
                )
            )
            try stage.start()
        }

        func request() throws -> Verdict {
            var context = ExchangeContext()
            return try stage.request(&exchange, &context)
        }

        /// Calls `record` of a new exchange, or of a copy of it, and returns a tag that it set.
        func record(isPreview: Bool, tag: String) throws -> String? {
            var (exchange, context) = (Exchange.sample, ExchangeContext())
            context.isPreview = isPreview
            _ = try stage.record(&exchange, &context)
            return exchange.tags[tag]
        }
    }

    private func failure(_ code: String, _ folder: Folder) -> ScriptError? {
        do {
            _ = try Run(code, folder)
            return nil
        } catch {
            return error as? ScriptError
        }
    }

    // MARK: - require

    @Test func modulesAreLoadedOnce() throws {
        let folder = try Folder([
            "a.lua": "loads = (loads or 0) + 1 return {name = ...}",
            "lib/b.lua": "return require('a').name",
            "none.lua": "function request(ex) log('from a module', require('a').name) end",
        ])
        let run = try Run(
            "local a = require 'a' log(a == require 'a', loads, require 'lib.b', require 'none')",
            folder
        )
        _ = try run.request()
        #expect(run.log == ["true 1 a true", "from a module a"])
    }

    @Test(arguments: [
        "../secret", "..secret", "/etc/passwd", "a/b", "", ".", "a.", ".a", "a..b", "a\\0b", "é",
        "~",
        "lib.../secret", "a b", "link", "lib2.secret", "folder", "pipe", "missing",
    ])
    func modulesOutsideOfTheFolderAreRefused(name: String) throws {
        let folder = try Folder([:])
        try folder.link("link.lua", to: "../secret.lua")
        try folder.link("lib2", to: "..")
        try FileSystem.makeFolder("\(folder.inside)/folder.lua")
        try #require(unsafe mkfifo("\(folder.inside)/pipe.lua", 0o600) == 0)
        let found = failure("log(require('\(name)'))", folder)
        #expect(found?.code == .fault)
        #expect(found?.debugDescription.contains("return 'secret'") == false)
    }

    /// Some systems deploy files as links to a folder in the same place.
    @Test func linksWithinTheFolderAreFollowed() throws {
        let folder = try Folder(["lib/real.lua": "return 7"])
        try folder.link("alias.lua", to: "lib/real.lua")
        let run = try Run("local alias = require 'alias' function request() log(alias) end", folder)
        _ = try run.request()
        #expect(run.log == ["7"])
    }

    @Test(arguments: [
        ("circle", "circle.lua", "circle2.lua", 1, "circular require"),
        ("syntax", "syntax.lua", "syntax.lua", 2, "expected near"),
        ("raises", "raises.lua", "raises.lua", 3, "attempt to"),
        ("endless", "endless.lua", "endless.lua", 1, "stopped after"),
    ])
    func failuresNameTheModule(
        name: String,
        file: String,
        expectedFile: String,
        line: Int,
        message: String
    ) throws {
        let folder = try Folder([
            "circle.lua": "return require 'circle2'", "circle2.lua": "return require 'circle'",
            "syntax.lua": "local a\nlocal = 1", "raises.lua": "local a\n\nreturn a.b",
            "endless.lua": "while true do end",
        ])
        let found = try #require(failure("\nrequire '\(name)'", folder))
        #expect(found.script == "\(folder.inside)/\(expectedFile)")
        #expect(found.line == line)
        #expect(found.message.contains(message), "\(found)")
    }

    @Test func functionsOfModulesNameTheirLine() throws {
        let folder = try Folder(["a.lua": "return {\n  f = function() return nil + 1 end}"])
        let run = try Run("local a = require 'a' function request() a.f() end", folder)
        do {
            _ = try run.request()
            Issue.record("no error")
        } catch let error as ScriptError {
            #expect(error.script == "\(folder.inside)/a.lua")
            #expect(error.line == 2)
            #expect(error.hook == "request")
        }
    }

    @Test func modulesAreNotLoadedInHooks() throws {
        let folder = try Folder(["a.lua": "return 1"])
        let run = try Run("function request() log(pcall(require, 'a')) end", folder)
        _ = try run.request()
        #expect(run.log.first?.contains("require it at the top of the script") == true)
    }

    @Test func failedModulesMayBeRequiredAgain() throws {
        let folder = try Folder(["a.lua": "if not ready then error('not yet') end return 5"])
        let run = try Run(
            """
            local failed = pcall(require, "a") ready = true
            local a = require "a"
            function request() log(failed, a) end
            """,
            folder
        )
        _ = try run.request()
        #expect(run.log == ["false 5"])
    }

    @Test func theHostKnowsLoadedModules() throws {
        let folder = try Folder(["a.lua": "local x = 1\nreturn x", "lib/b.lua": "return 2"])
        let state = try LuaState(
            LuaScript(
                path: "\(folder.inside)/m.lua",
                text: Array("require 'a' require 'lib.b'".utf8)
            ),
            limits: LuaLimits(),
            environment: LuaEnvironment(moduleFolder: folder.inside)
        )
        #expect(state.modules == ["\(folder.inside)/a.lua", "\(folder.inside)/lib/b.lua"])
    }

    @Test func linesOfModulesAreCounted() throws {
        let folder = try Folder(["lib/a.lua": "local x = 1\nif x > 1 then\n  x = 2\nend\nreturn x"])
        let state = try LuaState(
            LuaScript(path: "\(folder.inside)/m.lua", text: Array("require 'lib.a'".utf8)),
            limits: LuaLimits(),
            collectsCoverage: true,
            environment: LuaEnvironment(moduleFolder: folder.inside)
        )
        let found = state.coverage.first { $0.file == "\(folder.inside)/lib/a.lua" }
        #expect(found?.lines[1] == 1)
        #expect(found?.lines[3] == 0)
    }

    @Test func changedModulesAreReloaded() throws {
        let folder = try Folder(["a.lua": "return 'old'"])
        let path = "\(folder.inside)/m.lua"
        let code = "local a = require 'a' function record(ex) ex.tags.n = a end"
        try folder.write("m.lua", code)
        let factory = try LuaStageFactory(
            LuaScript(path: path, text: Array(code.utf8)),
            limits: LuaLimits(),
            config: nil,
            reloads: true,
            environment: LuaEnvironment(moduleFolder: folder.inside)
        )
        let stage = try #require(try factory.makeStage(StageContext(id: "lua")) as? any RecordStage)
        func run() throws -> String? {
            var exchange = Exchange.sample
            var context = ExchangeContext()
            _ = try stage.record(&exchange, &context)
            return exchange.tags["n"]
        }
        #expect(try run() == "old")
        try folder.write("a.new", "return 'new!'")
        try FileSystem.move("\(folder.inside)/a.new", to: "\(folder.inside)/a.lua")
        try blockingWait(for: "the changed module") { try run() == "new!" }
    }

    @Test func modulesReadDetailsAndTheTime() throws {
        let folder = try Folder([
            "a.lua": "return function(ex) return ex.original.url, time.now() end"
        ])
        let run = try Run("local f = require 'a' function request(ex) log(f(ex)) end", folder)
        _ = try run.request()
        #expect(run.log == ["nil 1.0"])
    }

    // MARK: - Files of respond

    private static let hook =
        "function request(ex) return respond{file = ex.request.headers.file} end"

    private func answer(_ file: String, _ folder: Folder, _ run: Run? = nil) throws -> Response? {
        let run = try run ?? Run(Self.hook, folder)
        run.exchange.request.fields = ["File": file]
        guard case .respond(var response) = try run.request().action else { return nil }
        // As a lane does.
        response.frame(answering: "GET")
        return response
    }

    @Test(arguments: [
        ("a.json", "application/json"), ("lib/b.HTML", "text/html; charset=utf-8"),
        ("c", "application/octet-stream"), ("lib/x.y/d", "application/octet-stream"),
        ("inner.png", "image/png"),
    ])
    func filesAreSent(name: String, type: String) throws {
        let folder = try Folder(["a.json": "{}", "lib/b.HTML": "{}", "c": "{}"])
        try FileSystem.makeFolder("\(folder.inside)/lib/x.y")
        try folder.write("lib/x.y/d", "{}")
        try folder.link("inner.png", to: "c")
        let response = try #require(try answer(name, folder))
        #expect(response.body.bytes == Array("{}".utf8))
        #expect(response.fields == ["Content-Type": type, "Content-Length": "2"])
    }

    @Test(arguments: [
        "../secret.lua", "/etc/passwd", "link", "up/secret.lua", "missing", "lib", "lib/", "./a",
        "lib//a", "",
        "pipe", "large", "a\\0", "lib/../../secret.lua",
    ])
    func filesOutsideOfTheFolderAreRefused(name: String) throws {
        let folder = try Folder(["large": String(repeating: "x", count: 600_000)])
        try folder.link("link", to: "../secret.lua")
        try folder.link("up", to: "..")
        try #require(unsafe mkfifo("\(folder.inside)/pipe", 0o600) == 0)
        #expect(throws: ScriptError.self) { try answer(name, folder) }
    }

    @Test func changedFilesAreReadAgain() throws {
        let folder = try Folder(["a": "one"])
        let run = try Run(Self.hook, folder)
        #expect(try answer("a", folder, run)?.body.bytes == Array("one".utf8))
        #expect(try answer("a", folder, run)?.body.bytes == Array("one".utf8))
        try folder.write("a.new", "three")
        try FileSystem.move("\(folder.inside)/a.new", to: "\(folder.inside)/a")
        #expect(try answer("a", folder, run)?.body.bytes == Array("three".utf8))
    }

    /// More files and more bytes than the cache keeps.
    @Test func theFileCacheIsBounded() throws {
        let folder = try Folder([:])
        for index in 0..<20 {
            try folder.write(
                "f\(index)",
                String(repeating: "\(index % 10)", count: 100_000 + index)
            )
        }
        let run = try Run(Self.hook, folder)
        for index in Array(0..<20) + Array(0..<20) {
            #expect(try answer("f\(index)", folder, run)?.body.bytes.count == 100_000 + index)
        }
    }

    // MARK: - The shared store

    @Test func lanesShareTheStore() throws {
        let store = SharedStore(maxBytes: 1 << 20)
        let code = "function request(ex) log(shared.incr('n'), shared.add('first', 1)) end"
        let lanes = try (0..<2).map { _ in try Run(code, store: store) }
        for lane in lanes { _ = try lane.request() }
        #expect(lanes.map(\.log) == [["1 true"], ["2 false"]])
    }

    /// The hook of a paused exchange runs for the copy that is shown, and again at its end.
    @Test func copiesThatAreOnlyShownLeaveTheStoreAsItIs() throws {
        let store = try #require(SharedStore(maxBytes: 1 << 20))
        let run = try Run(
            """
            function record(ex)
              log("ran")
              local n, half = shared.incr("n"), shared.incr("half", 0.5)
              local new, old = shared.add("new", "x"), shared.get("old")
              local deleted, set = shared.delete("old"), shared.set("set", 1)
              ex.tags.seen = table.concat({n, half, tostring(new), tostring(old),
                tostring(deleted), tostring(set), tostring(shared.get("set"))}, " ")
            end
            function request(ex) shared.set("old", "y") end
            """,
            store: store
        )
        _ = try run.request()
        let used = store.used
        for _ in 0..<2 {
            let seen = try run.record(isPreview: true, tag: "seen")
            #expect(seen == "1 0.5 true y true true 1")
        }
        #expect(store.used == used)
        #expect(run.log.isEmpty)
        #expect(try run.record(isPreview: false, tag: "seen") == "1 0.5 true y true true 1")
        let again = try run.record(isPreview: true, tag: "seen")
        #expect(again == "2 1.0 false nil false true 1")
        #expect(try run.record(isPreview: false, tag: "seen") == again)
        #expect(run.log == ["ran", "ran"])
    }

    @Test func incrementsOfManyThreadsAddUp() async throws {
        let store = SharedStore(maxBytes: 1 << 20)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    let run = try Run(
                        """
                        function request(ex)
                          for i = 1, 1000 do
                            shared.incr("n") shared.set("k" .. i % 7, ("x"):rep(i)) shared.get("k" .. i % 5)
                            shared.delete("k" .. i % 3)
                          end
                        end
                        """,
                        store: store
                    )
                    _ = try run.request()
                }
            }
            try await group.waitForAll()
        }
        let run = try Run("function request(ex) log(shared.get('n')) end", store: store)
        _ = try run.request()
        #expect(run.log == ["4000"])
    }

    @Test func entriesExpire() throws {
        final class Clock: Sendable { let times = LineList() }
        let clock = Clock()
        let run = try Run(
            """
            function request(ex)
              if ex.request.path == "/set" then shared.set("a", 1, 0.5) shared.incr("n", 1, 2) shared.set("b", 1) end
              log(shared.get("a"), shared.get("b"), shared.incr("n", 0), shared.add("a", 2))
            end
            """,
            clock: { Timestamp(microseconds: Int64(clock.times.all.count) * 1_000_000) }
        )
        run.exchange.request.target = "/set"
        _ = try run.request()
        run.exchange.request.target = "/"
        clock.times.append("a second later")
        _ = try run.request()
        clock.times.append("and another")
        _ = try run.request()
        #expect(run.log == ["1 1 1 false", "nil 1 1 true", "2 1 0 false"])
    }

    @Test func theStoreIsBounded() throws {
        let store = try #require(SharedStore(maxBytes: 4096))
        let run = try Run(
            """
            function request(ex)
              for i = 1, 1000 do shared.set("k" .. i, i) shared.get("k1") end
              log(shared.get("k1"), shared.get("k2"), shared.get("k1000"))
              log(pcall(shared.set, "big", ("x"):rep(5000)))
              log(pcall(shared.set, ("k"):rep(2000), 1))
              log(pcall(shared.set, "t", {})) log(pcall(shared.get, 1)) log(pcall(shared.set, "t", 1, -1))
              log(pcall(shared.incr, "k1", "x")) shared.set("text", "x") log(pcall(shared.incr, "text"))
              shared.set("i", math.maxinteger) log(shared.incr("i") == math.mininteger)
            end
            """,
            store: store
        )
        _ = try run.request()
        #expect(store.used <= 4096)
        #expect(run.log[0] == "1 nil 1000")
        #expect(run.log[1...7].allSatisfy { $0.hasPrefix("false") })
        #expect(run.log[8] == "true")
    }

    @Test func valuesKeepTheirTypes() throws {
        let run = try Run(
            """
            function request(ex)
              for _, value in ipairs{1, 1.0, -0.5, true, false, "", "a\\0b", ("x"):rep(1000), math.mininteger} do
                shared.set("v", value)
                local found = shared.get("v")
                log(found == value and math.type(found) == math.type(value))
              end
              log(shared.set("v", nil), shared.get("v"), shared.delete("v"))
            end
            """
        )
        _ = try run.request()
        #expect(run.log == [String](repeating: "true", count: 9) + ["true nil false"])
    }

    @Test func usingAMissingStoreIsAnError() throws {
        let run = try Run("function request(ex) log(pcall(shared.get, 'a')) end", store: nil)
        _ = try run.request()
        #expect(run.log.first?.contains("there is no shared store here") == true)
    }
}
