// SPDX-License-Identifier: MIT

import Glibc
import TaplineConfig
import TaplineModel
import TaplineOperations
import TaplineSystem
import TaplineTesting
import TestSupport
import Testing

@testable import LuaStage
@testable import TaplinePlugin

@Suite struct LuaPluginTests {
    /// Reads the options of the stage from YAML, and builds it.
    private func build(
        _ text: String,
        name: String = "pipeline.yaml",
        folder: String = "",
        protected: [String] = []
    ) throws -> (factory: (any StageFactory)?, diagnostics: Diagnostics) {
        let source = ConfigSource(name: name, text: text, folder: folder)
        let reader = ConfigReader()
        var diagnostics = Diagnostics()
        let found = reader.read(source, into: &diagnostics)
        let node = try #require(found)
        guard
            let options = StagePlugin.lua.description.options.decode(
                node,
                owner: "lua",
                into: &diagnostics,
                environment: Environment()
            )
        else { return (nil, diagnostics) }
        var context = BuildContext(
            id: "lua",
            folder: folder,
            location: node.location,
            diagnostics: diagnostics
        )
        context.protectedPaths = protected
        let factory = StagePlugin.lua.build(options, &context)
        return (factory, context.diagnostics)
    }

    private func messages(_ text: String) throws -> [String] {
        let (factory, diagnostics) = try build(text)
        #expect(factory == nil)
        return diagnostics.all.map { "\($0.location.map { "\($0.line)" } ?? "-"): \($0.message)" }
    }

    @Test func descriptorsGiveFieldsTheirNames() throws {
        let fixtures = "\(TestFiles.repository)/Tests/TaplineProtobufTests/Fixtures"
        let code = "code: function record(ex) ex.tags.sku = ex.grpc.messages[1].value.sku end\n"
        let (factory, diagnostics) = try build("\(code)descriptors: \(fixtures)/shop.binpb\n")
        #expect(diagnostics.isEmpty)
        let files = (factory as? any ConfiguredByFiles)?.configurationFiles
        #expect(files == ["\(fixtures)/shop.binpb"])
        let stage = try #require(try factory?.makeStage(StageContext(id: "lua")) as? LuaStage)
        try stage.start()
        var exchange = Exchange.sample
        exchange.request.target = "/shop.v1.Orders/Get"
        exchange.request.fields = ["Content-Type": "application/grpc"]
        exchange.messages = [
            StreamMessage(direction: .up, type: "grpc", bytes: [0x0A, 1, 0x61])
        ]
        var context = ExchangeContext()
        _ = try stage.record(&exchange, &context)
        #expect(exchange.tags["sku"] == "a")
        let wrong = try build("\(code)descriptors: \(fixtures)/order.txtpb\n")
        #expect(wrong.factory == nil)
        #expect(wrong.diagnostics.all.first?.message.contains("FileDescriptorSet") == true)
    }

    @Test func anInlineScriptIsBuilt() throws {
        let (factory, diagnostics) = try build(
            "code: |\n  function request(ex) end\n  function record(ex) end\n"
        )
        #expect(diagnostics.isEmpty)
        #expect(factory?.hooks == [.request, .record])
        #expect(factory?.redacts == false)
        let stage = try #require(try factory?.makeStage(StageContext(id: "lua")) as? LuaStage)
        try stage.start()
        stage.stop()
    }

    @Test func aScriptFileIsBuilt() throws {
        let folder = try TemporaryFolder()
        let text = "function record(ex)\n  ex.tags.a = 1\n  boom(\nend"
        let path = try folder.write(text, to: "rewrite.lua")
        let (factory, diagnostics) = try build("script: rewrite.lua", folder: folder.path)
        #expect(factory == nil)
        #expect(diagnostics.all.map(\.message) == ["unexpected symbol near 'end'"])
        let location = try #require(diagnostics.all.first?.location)
        #expect(location.file == path)
        #expect(location.line == 4)
    }

    @Test(arguments: [
        ("ex.tags.a = 'b'", [String]()), ("ex.tgas = 1", ["1 remark on the script"]),
        ("ex.tgas = ex.sorce", ["2 remarks on the script"]),
    ])
    func remarksOnAScriptAreCounted(line: String, expected: [String]) throws {
        let folder = try FileSystem.makeTemporaryFolder(prefix: "tapline-lua")
        defer { try? FileSystem.removeFolder(folder) }
        let text = "function record(ex)\n  \(line)\nend\n"
        try File("\(folder)/rewrite.lua", for: .replace).write(text.utf8.span)
        let (factory, diagnostics) = try build("script: rewrite.lua", folder: folder)
        #expect(factory != nil)
        #expect(diagnostics.all.map(\.message) == expected)
        #expect(diagnostics.all.allSatisfy { $0.severity == .note })
        let help = "see with: tapline lua check '\(folder)/rewrite.lua'"
        #expect(diagnostics.all.allSatisfy { $0.help == help })
    }

    @Test func inlineErrorsPointIntoTheFile() throws {
        #expect(
            try messages("max_time: 1s\ncode: |\n  -- first\n  x = = 1\n")
                == ["4: unexpected symbol near '='"]
        )
        #expect(
            try messages("code: |\n  function record() end\n  local x = nil + 1\n")
                == ["3: attempt to perform arithmetic on a nil value"]
        )
    }

    @Test func runtimeErrorsPointIntoTheFile() throws {
        let (factory, _) = try build("code: |\n  function record(ex)\n    error('x')\n  end\n")
        let stage = try #require(try factory?.makeStage(StageContext(id: "lua")) as? LuaStage)
        var exchange = Exchange.sample
        var context = ExchangeContext()
        let error = #expect(throws: ScriptError.self) {
            _ = try stage.record(&exchange, &context)
        }
        #expect(
            error?.description == "pipeline.yaml:3: the script raised an error in hook 'record'"
        )
    }

    @Test func exactlyOneScriptIsRequired() throws {
        #expect(
            try messages("max_time: 1s")
                == ["1: 'lua' has no script; expected 'script' or 'code'"]
        )
        #expect(
            try messages("script: a.lua\ncode: function record() end")
                == ["2: 'lua' has both 'script' and 'code'; expected one of them"]
        )
    }

    @Test func reloadNeedsAFile() throws {
        #expect(
            try messages("reload: true\ncode: function record() end")
                == ["1: 'reload' needs a file to watch; found 'code', expected 'script'"]
        )
        #expect(try build("reload: false\ncode: function record() end").factory != nil)
    }

    /// Modules are in the script's folder; modules of inline scripts and all files are in the
    /// configuration's folder.
    @Test func modulesAndFilesAreFound() throws {
        let folder = try FileSystem.makeTemporaryFolder(prefix: "tapline-lua")
        defer { try? FileSystem.removeFolder(folder) }
        try FileSystem.makeFolder("\(folder)/scripts")
        let hook =
            "function request(ex) return respond{file = 'a.txt', headers = {M = require 'm'}} end"
        let files = [
            "m.lua": "return 'of the folder'", "scripts/m.lua": "return 'of the script'",
            "a.txt": "answer",
            "scripts/s.lua": "require 'm' \(hook)", "scripts/bad.lua": "require 'none'",
            "scripts/wrong.lua": "\nrequire 'syntax'", "scripts/syntax.lua": "local = 1",
        ]
        for (name, text) in files {
            try File("\(folder)/\(name)", for: .create).write(text.utf8.span)
        }
        for (yaml, expected) in [
            ("script: scripts/s.lua", "of the script"),
            ("code: \"require 'm' \(hook)\"", "of the folder"),
        ] {
            let (factory, diagnostics) = try build(yaml, folder: folder)
            #expect(diagnostics.isEmpty)
            let stage = try #require(try factory?.makeStage(StageContext(id: "lua")) as? LuaStage)
            var exchange = Exchange.sample
            var context = ExchangeContext()
            guard case .respond(let response) = try stage.request(&exchange, &context).action else {
                Issue.record("no answer")
                continue
            }
            #expect(response.body.bytes == Array("answer".utf8))
            #expect(response.fields.first("M")?.description == expected)
        }
        let missing = try build("script: scripts/bad.lua", folder: folder).diagnostics.all
        #expect(
            missing.map(\.message) == [
                "module not found; expected the file none.lua in the script's folder"
            ]
        )
        #expect(missing.first?.location?.line == 1)
        let wrong = try build("script: scripts/wrong.lua", folder: folder).diagnostics.all
        #expect(
            wrong.first?.message.hasPrefix("\(folder)/scripts/syntax.lua:1: ") == true,
            "\(wrong)"
        )
    }

    @Test func keysOfAPipelineAreRefused() throws {
        let folder = try FileSystem.makeTemporaryFolder(prefix: "tapline-lua")
        defer { try? FileSystem.removeFolder(folder) }
        try File("\(folder)/redact.key", for: .create).write("0123456789abcdef".utf8.span)
        let yaml = "code: function request(ex) return respond{file = 'redact.key'} end"
        for (protected, isSent) in [([], true), (["\(folder)/redact.key"], false)] {
            let factory = try build(yaml, folder: folder, protected: protected).factory
            let stage = try #require(try factory?.makeStage(StageContext(id: "lua")) as? LuaStage)
            var exchange = Exchange.sample
            var context = ExchangeContext()
            let verdict = try? stage.request(&exchange, &context)
            #expect((verdict != nil) == isSent)
        }
    }

    @Test func aMissingFileIsReported() throws {
        #expect(
            try messages("script: /nowhere/none.lua")
                == ["1: script cannot be read: no such file or directory"]
        )
    }

    @Test func aScriptWithoutHooksIsRefused() throws {
        let found = try messages("code: |\n  function reqest(ex) end\n")
        #expect(found.count == 1)
        #expect(found[0].contains("script has no hook; expected a global function request"))
    }

    @Test func checkingHasNoSideEffects() throws {
        let (factory, diagnostics) = try build(
            "code: |\n  print('x')\n  function start() error('not now') end\n  function record() end\n"
        )
        #expect(factory != nil)
        #expect(diagnostics.isEmpty)
    }

    @Test func limitsAreOptions() throws {
        let (factory, _) = try build(
            """
            code: "function record(ex) while true do end end"
            max_instructions: 5000
            max_memory: 1MiB
            max_time: 250ms
            """
        )
        let stage = try #require(try factory?.makeStage(StageContext(id: "lua")) as? LuaStage)
        var exchange = Exchange.sample
        var context = ExchangeContext()
        let error = #expect(throws: ScriptError.self) {
            _ = try stage.record(&exchange, &context)
        }
        #expect(error?.message == "script stopped after 5000 instructions")
        #expect(
            try messages("code: function record() end\nmax_memory: 1KiB")
                == ["2: 'max_memory' is too small for a Lua state; expected at least 256KiB"]
        )
        #expect(try messages("code: function record() end\nmax_instructions: 10").count == 1)
    }

    @Test func codeIsNotInterpolated() throws {
        let (factory, diagnostics) = try build(
            "code: |\n  function record(ex) log('${NONE}') end\n"
        )
        #expect(factory != nil)
        #expect(diagnostics.isEmpty)
    }

    @Test func configReachesStart() throws {
        let (factory, _) = try build(
            """
            config: { team: checkout, n: 3, list: [a, 1.5, true, null], text: "3" }
            code: |
              local c
              function start(config) c = config end
              function record(ex)
                log(c.team, math.type(c.n), #c.list, c.list[2], c.list[3], c.list[4], type(c.text))
              end
            """
        )
        let lines = LineList()
        let log = Log(component: "lua") { entry in lines.append(entry.message) }
        let stage = try #require(
            try factory?.makeStage(StageContext(id: "lua", log: log)) as? LuaStage
        )
        try stage.start()
        var exchange = Exchange.sample
        var context = ExchangeContext()
        _ = try stage.record(&exchange, &context)
        #expect(lines.all == ["checkout integer 4 1.5 true null string"])
    }

    @Test(arguments: [
        "function record(ex) end",
        "function request(ex) ex.request.headers['X-A'] = #ex.request.path end",
        """
        function request(ex) ex.vars.seen = ex.request.method end
        function response(ex) ex.response.headers['X-B'] = #ex.vars.seen end
        function record(ex)
          for _ in pairs(ex.request.headers) do end
          for _ in pairs(ex.request.query) do end
          for _ in pairs(ex.tags) do end
          local _ = ex.request.url .. tostring(ex.request.host) .. tostring(ex.request.port)
          if ex.response then ex.tags.status = ex.response.status end
        end
        """,
        """
        function message(ex, message)
          if message.dir == "down" then return drop() end
          if not message.truncated then message.text = message.text:upper() end
        end
        """,
    ])
    func followsTheRulesOfStages(code: String) async {
        let indented = code.split(separator: "\n").map { "  \($0)" }.joined(separator: "\n")
        let found = await Conformance.violations(of: .lua, options: "code: |\n\(indented)\n")
        #expect(found.isEmpty, "\(found)")
    }
}
