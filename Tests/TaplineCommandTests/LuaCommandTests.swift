// SPDX-License-Identifier: MIT

import TaplineCommandLine
import TaplineSystem
import TestSupport
import Testing

@testable import TaplineCommand

@Suite("tapline lua")
struct LuaCommandTests {
    private func write(_ text: String, to path: String) throws -> String {
        try File(path, for: .replace).write(text.utf8.span)
        return path
    }

    @Test("reports mistakes in scripts, with a caret and exit code 78")
    func check() async throws {
        try await withTemporaryFolder { folder in
            let bad = try write(
                "function record(ex)\n  log(ex.reqest)\nend\n",
                to: "\(folder)/bad.lua"
            )
            let good = try write("function record(ex) end\n", to: "\(folder)/good.lua")
            let misspelled = try write("function recrd(ex) end\n", to: "\(folder)/misspelled.lua")

            let found = await tapline("lua", "check", good, bad)
            #expect(found.code == .configuration)
            let lines = found.errors.split(separator: "\n").map(String.init)
            #expect(
                lines == [
                    "\(bad):2:10: error: unknown field 'reqest' of ex", "    2 |   log(ex.reqest)",
                    "      |          ^~~~~~", "help: did you mean 'request'?",
                ]
            )

            let fine = await tapline("lua", "check", good)
            #expect(fine.code == .success)
            #expect(fine.errors == "ok: 1 script\n")

            let warned = await tapline("lua", "check", good, misspelled)
            #expect(warned.code == .success)
            #expect(warned.errors.contains("warning: function 'recrd' is never called"))
            #expect(warned.errors.hasSuffix("ok: 2 scripts\n"))

            let missing = await tapline("lua", "check", "\(folder)/none.lua")
            #expect(missing.code == .configuration)
            #expect(missing.errors.contains("none.lua"))
        }
    }

    @Test("writes the files for editors, and overwrites files only with --force")
    func initialize() async throws {
        try await withTemporaryFolder { folder in
            let first = await tapline("lua", "init", folder)
            #expect(first.code == .success)
            #expect(first.output == "\(folder)/.tapline/types.lua\n\(folder)/.luarc.json\n")
            let types = "\(folder)/.tapline/types.lua"
            #expect(try FileSystem.status(of: types)?.permissions == 0o600)
            _ = try write("mine", to: "\(folder)/.luarc.json")
            let refused = await tapline("lua", "init", folder)
            #expect(refused.code == .usage)
            #expect(refused.errors.contains("'\(types)' already exists"))
            #expect(refused.errors.contains("help: '--force' overwrites it"))
            try FileSystem.remove(types)
            #expect(await tapline("lua", "init", folder).code == .usage)
            #expect(try FileSystem.status(of: types) == nil)
            #expect(await tapline("lua", "init", folder, "--force").code == .success)
            #expect(try (FileSystem.status(of: "\(folder)/.luarc.json")?.size ?? 0) > 100)
        }
    }

    @Test("creates the folder if it does not exist")
    func initializeNewFolder() async throws {
        try await withTemporaryFolder { folder in
            #expect(await tapline("lua", "init", "\(folder)/new/er").code == .success)
            #expect(try FileSystem.status(of: "\(folder)/new/er/.luarc.json") != nil)
            _ = try write("text", to: "\(folder)/file")
            let refused = await tapline("lua", "init", "\(folder)/file")
            #expect(refused.code == .failure)
            #expect(refused.errors.contains("'\(folder)/file/.tapline'"))
        }
    }

    @Test("rejects unknown actions and wrong arguments")
    func usage() async throws {
        let unknown = await tapline("lua", "chek")
        #expect(unknown.code == .usage)
        #expect(unknown.errors.contains("unknown action 'chek' of 'lua'; expected init, check"))
        #expect(unknown.errors.contains("help: did you mean 'check'?"))
        #expect(await tapline("lua", "check").errors.contains("'lua check' needs FILE"))
        #expect(await tapline("lua", "init", "a", "b").errors.contains("found 'b'"))
        #expect(
            await tapline("lua", "check", "a", "--force").errors.contains("belongs to 'lua init'")
        )
    }
}
