// SPDX-License-Identifier: MIT

import TaplineModel
import TaplinePlugin
import Testing

@testable import LuaStage

/// The declared interface of scripts matches the actual one completely.
@Suite struct LuaAPITests {
    @Test func existingObjectsAreDeclared() {
        let names = LuaAPI.names
        #expect(names.count >= 22)
        for (path, found) in names {
            let declared = LuaAPI.groups.first { $0.path == path }?.members.map(\.name)
            #expect(declared?.sorted() == found.sorted(), "\(path)")
        }
    }

    /// Groups that are not objects of C are libraries, or tables without members.
    @Test func declaredObjectsExist() {
        let names = LuaAPI.names
        for group in LuaAPI.groups where group.path.hasPrefix("ex") || group.isValue {
            #expect(names[group.path] != nil || group.members.isEmpty, "\(group.path)")
        }
    }

    @Test func librariesMatchTheirDeclaration() throws {
        let lines = try Bench.log(
            """
            local known = {}
            for name in ("assert collectgarbage error getmetatable ipairs next pairs pcall rawequal rawget rawlen rawset select setmetatable tonumber tostring type xpcall coroutine math string table utf8 _G _VERSION"):gmatch("%S+") do known[name] = true end
            local names = {}
            for name, value in pairs(_G) do
              if not known[name] and name ~= "record" then
                if type(value) == "table" then
                  for member in pairs(value) do names[#names + 1] = name .. "." .. member end
                end
                if type(value) == "function" or name == "log" then names[#names + 1] = name end
              end
            end
            table.sort(names)
            for _, name in ipairs(names) do log(name) end
            """
        )
        let declared = LuaAPI.libraries.filter { !$0.isValue }.flatMap { group in
            group.members.map { group.path.isEmpty ? $0.name : "\(group.path).\($0.name)" }
        }
        #expect(lines == declared.sorted())
    }

    @Test func absentNamesDoNotExist() throws {
        for name in LuaAPI.absent {
            #expect(try Bench.log("log(\(name))") == ["nil"], "\(name)")
        }
    }

    /// Members that are declared as writable accept their own value; all others refuse it.
    @Test(arguments: ["ex", "ex.request", "ex.response"])
    func onlyWritableFieldsCanBeAssigned(path: String) throws {
        let group = try #require(LuaAPI.groups.first { $0.path == path })
        for member in group.members where member.name != "tags" && member.name != "vars" {
            let value = member.name == "query" ? "'x=1'" : "\(group.path).\(member.name)"
            let body = "local value = \(value) \(group.path).\(member.name) = value"
            let plain = member.kind == .method ? "\(group.path).\(member.name) = 1" : body
            for hook in ["request", "response", "record"] {
                let hooks: Hooks =
                    hook == "request" ? .request : hook == "response" ? .response : .record
                let failure = Bench.failure(plain, hook: hook, of: .documented)
                let isWritable = member.writable.contains(hooks)
                #expect((failure == nil) == isWritable, "\(group.path).\(member.name) in \(hook)")
            }
        }
    }
}
