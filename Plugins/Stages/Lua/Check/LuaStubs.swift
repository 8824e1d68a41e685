// SPDX-License-Identifier: MIT

internal import TaplinePlugin

/// Writes the files for the Lua language server: the interface's types as annotations, and the
/// settings that refer to them.
enum LuaStubs {
    static let path = ".tapline/types.lua"

    /// The files, with paths relative to the folder of the scripts.
    static var files: [ScriptTools.EditorFile] {
        [
            ScriptTools.EditorFile(path: path, text: types),
            ScriptTools.EditorFile(path: ".luarc.json", text: settings),
        ]
    }

    private static var settings: String {
        let libraries = ["io", "os", "package", "debug"]
        let builtin = libraries.map { "    \"\($0)\": \"disable\"" }.joined(separator: ",\n")
        return """
            {
              "runtime.version": "Lua 5.4",
              "runtime.builtin": {
            \(builtin)
              },
              "workspace.library": [".tapline"],
              "diagnostics.disable": ["lowercase-global", "duplicate-set-field"]
            }

            """
    }

    /// The annotations of everything that scripts can use.
    static var types: String {
        var lines = [
            "---@meta tapline",
            "-- Written by 'tapline lua init'; the parameter of a hook is a tapline.Exchange.",
        ]
        let classes = Set(LuaAPI.groups.map(\.className))
        for name in referenced.subtracting(classes).sorted() {
            lines += ["", "---@class \(name)"]
        }
        var written: Set<String> = []
        for group in LuaAPI.groups where !group.path.isEmpty {
            guard written.insert(group.className).inserted else { continue }
            lines += ["", "--- \(group.summary)"] + declaration(of: group)
        }
        for member in ScriptNames.groups[""]?.members ?? [] { lines += function(member) }
        for hook in LuaAPI.hooks {
            let result = hook.result.map { ": \($0)" } ?? ""
            lines += [
                "", "--- \(hook.summary)", "---@type fun(\(hook.parameters))\(result)",
                "\(hook.name) = nil",
            ]
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func declaration(of group: LuaGroup) -> [String] {
        var lines = ["---@class \(group.className)"]
        for member in group.members {
            lines.append("---@field \(member.name) \(member.type) \(member.summary)")
        }
        if let others = group.others { lines.append("---@field [string] \(others)") }
        if let elements = group.elements { lines.append("---@field [integer] \(elements)") }
        guard ScriptNames.globals.contains(group.path), !ScriptNames.isPart(group.path) else {
            return lines
        }
        let global = ScriptNames.groups[""]?.members.first { $0.name == group.path }
        if let global { lines.append("---@overload \(global.type)") }
        return lines + ["\(group.path) = {}"]
    }

    /// A global function or value with its parameters; empty if the name is also a library, which
    /// declares it.
    private static func function(_ member: LuaMember) -> [String] {
        guard ScriptNames.groups[member.name] == nil else { return [] }
        guard member.kind == .function, let signature = Signature(member.type) else {
            return [
                "", "--- \(member.summary)", "---@type \(member.type)", "\(member.name) = nil",
            ]
        }
        var lines = ["", "--- \(member.summary)"]
        lines += signature.parameters.map { "---@param \($0.name) \($0.type)" }
        if let result = signature.result { lines.append("---@return \(result)") }
        let names = signature.parameters.map {
            $0.name.hasSuffix("?") ? $0.name.dropLast() : $0.name[...]
        }
        lines.append("function \(member.name)(\(names.joined(separator: ", "))) end")
        return lines
    }

    /// The names of all referenced types of Tapline.
    private static var referenced: Set<String> {
        var names: Set<String> = []
        let members = LuaAPI.groups.flatMap(\.members)
        let texts =
            members.map(\.type) + LuaAPI.groups.compactMap(\.others)
            + LuaAPI.hooks.map { "\($0.parameters) \($0.result ?? "")" }
        for text in texts {
            var rest = text[...]
            while let start = rest.range(ofPrefix: "tapline.") {
                let tail = rest[start...]
                let name = tail.prefix { $0.isLetter || $0 == "." || $0 == "_" }
                names.insert(String(name))
                rest = tail.dropFirst(max(name.count, 1))
            }
        }
        return names
    }
}

/// The parts of a function's type: `fun(name?: string, ...: any): string`.
private struct Signature {
    var parameters: [(name: String, type: String)] = []
    let result: String?

    init?(_ type: String) {
        guard type.hasPrefix("fun(") else { return nil }
        result = ScriptNames.result(of: type)
        var depth = 0
        var part = ""
        for character in type.dropFirst(3) {
            if character == ")" { depth -= 1 }
            if depth == 0, character == ")" { break }
            if depth == 1, character == "," {
                add(part)
                part = ""
            } else if depth > 0 {
                part.append(character)
            }
            if character == "(" { depth += 1 }
        }
        add(part)
    }

    private mutating func add(_ part: String) {
        let halves = part.split(separator: ":", maxSplits: 1).map { half in
            half.drop { $0 == " " }
        }
        guard let name = halves.first, !name.isEmpty else { return }
        parameters.append((String(name), halves.count > 1 ? String(halves[1]) : "any"))
    }
}

extension Substring {
    /// The index of the first occurrence of a text.
    fileprivate func range(ofPrefix text: String) -> Index? {
        var index = startIndex
        while index < endIndex {
            if self[index...].hasPrefix(text) { return index }
            index = self.index(after: index)
        }
        return nil
    }
}
