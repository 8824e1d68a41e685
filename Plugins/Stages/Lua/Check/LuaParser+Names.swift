// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplinePlugin

// Resolves names: variables, globals, and the members of the interface.

extension LuaParser {
    /// The value of a name in the current scope.
    mutating func value(ofName name: LuaToken) -> LuaValue {
        var value = LuaValue(name.range, .name)
        value.nameRange = name.range
        if let variable = scope.find(name.text) {
            scope.noteUse(variable)
            value.variable = variable
            value.path = scope.variables[variable].path
            return value
        }
        findings.noteRead(name.text, name.range)
        value.global = name.text
        value.path = ScriptNames.globals.contains(name.text) ? name.text : nil
        value.member = ScriptNames.groups[""]?.members.first { $0.name == name.text }
        if let member = value.member { checkHook(member, path: name.text, name.range, nil) }
        return value
    }

    /// The value of the member of a value with a name.
    mutating func access(_ value: LuaValue, _ name: LuaToken, isCall: Bool) -> LuaValue {
        findings.noteUse(of: value, in: scope)
        let range = value.range.lowerBound..<name.range.upperBound
        var result = LuaValue(range, isCall ? .method : .field)
        result.nameRange = name.range
        if let library = value.global, let members = ScriptNames.libraries[library] {
            result.path = "\(library).\(name.text)"
            result.isLibraryMember = true
            if !members.contains(name.text) { findings.noteMissing(name, of: library, members) }
            return result
        }
        if isText(value) {
            reportUnknownOfText(name, value, isCall)
            return result
        }
        let isTyped = value.path != nil || value.type != nil
        guard isTyped, let group = ScriptNames.group(path: value.path, type: value.type) else {
            return result
        }
        guard let member = group.members.first(where: { $0.name == name.text }) else {
            if group.others == nil || isCall { reportUnknown(name, group, value, isCall) }
            return result
        }
        let path = "\(value.path ?? group.path).\(name.text)"
        result.variable = value.variable
        if group.others != nil, !isCall {
            result.shadowedMethod = member
            return result
        }
        result.member = member
        result.path = path
        result.type = member.type
        checkHook(member, path: path, name.range, value.variable)
        if isCall, member.kind != .method, member.kind == .function {
            findings.add(
                .error,
                name.range,
                "'\(name.text)' is called with a colon; expected a dot",
                help: "write '.\(name.text)('",
                variable: value.variable
            )
        }
        return result
    }

    /// Whether a value is a text of the interface, such as a body.
    private func isText(_ value: LuaValue) -> Bool {
        if let type = value.type { return type == "string" || type == "string?" }
        guard let path = value.path, let dot = path.lastIndex(of: "."),
            let group = ScriptNames.group(path: String(path[..<dot]), type: nil),
            let member = group.members.first(where: { $0.name == path[path.index(after: dot)...] })
        else { return false }
        return member.kind == .field && (member.type == "string" || member.type == "string?")
    }

    /// Reports a name that texts do not have: `body:json()`, where `json` belongs to the message.
    private mutating func reportUnknownOfText(
        _ name: LuaToken,
        _ value: LuaValue,
        _ isCall: Bool
    ) {
        guard let members = ScriptNames.libraries["string"], !members.contains(name.text) else {
            return
        }
        let path = value.path ?? "the text"
        let owner = path.lastIndex(of: ".").map { String(path[..<$0]) }
        let isOfOwner = ScriptNames.group(path: owner, type: nil)?.members.contains {
            $0.name == name.text && $0.kind == .method
        }
        findings.noteLibraryRead(
            "string.\(name.text)",
            LuaFindings.Finding(
                severity: isCall ? .error : .warning,
                range: name.range,
                message: "unknown \(isCall ? "method" : "field") '\(name.text)' of \(path), a text",
                help: isOfOwner == true
                    ? owner.map { "write '\($0):\(name.text)('" }
                    : Suggestion.help(for: name.text, among: members.sorted()),
                variable: value.variable
            )
        )
    }

    private mutating func reportUnknown(
        _ name: LuaToken,
        _ group: LuaGroup,
        _ value: LuaValue,
        _ isCall: Bool
    ) {
        let candidates = group.members.filter { !isCall || $0.kind != .field }.map(\.name)
        let what = isCall ? "method" : "field"
        let path = value.path ?? group.path
        findings.add(
            .error,
            name.range,
            "unknown \(what) '\(name.text)' of \(path)",
            help: Suggestion.help(for: name.text, among: candidates)
                ?? "expected one of \(candidates.joined(separator: ", "))",
            variable: value.variable
        )
    }

    /// Reports a member that is not available in the surrounding hook.
    private mutating func checkHook(
        _ member: LuaMember,
        path: String,
        _ range: Range<Int>,
        _ variable: Int?
    ) {
        guard let hook = scope.hook, member.hooks.isDisjoint(with: hook) else { return }
        findings.add(
            .error,
            range,
            "'\(path)' is not available in hook '\(hook.luaName)'; expected in "
                + member.hooks.luaName,
            variable: variable
        )
    }

    /// Notes that a global or variable is defined as a function.
    mutating func noteDefinition(_ name: LuaToken, _ target: inout LuaValue) {
        noteAssignment(to: target, value: LuaValue(name.range, .function))
    }

    /// Notes an assignment, and reports it if it is not allowed.
    mutating func noteAssignment(to target: LuaValue, value: LuaValue? = nil) {
        if target.kind == .name, let variable = target.variable {
            let found = scope.variables[variable]
            if found.isFixed {
                findings.add(.error, target.range, "'\(found.name)' is constant")
            }
            scope.noteAssignment(variable)
        } else if let global = target.global {
            findings.noteWritten(global)
            if value?.kind == .function { findings.noteFunction(global, target.range) }
        } else if target.isLibraryMember, let path = target.path {
            findings.noteLibraryWritten(path)
        } else if let member = target.member {
            checkWritable(member, target)
        }
    }

    private mutating func checkWritable(_ member: LuaMember, _ target: LuaValue) {
        let path = target.path ?? member.name
        guard path.hasPrefix("ex.") || path.hasPrefix("message.") else { return }
        if member.writable.isEmpty {
            findings.add(
                .error,
                target.nameRange,
                "'\(path)' cannot be assigned",
                variable: target.variable
            )
        } else if let hook = scope.hook, member.writable.isDisjoint(with: hook) {
            findings.add(
                .error,
                target.nameRange,
                "'\(path)' cannot be changed in hook '\(hook.luaName)'; expected in "
                    + member.writable.luaName,
                variable: target.variable
            )
        }
    }
}

extension LuaFindings {
    /// Reports a name that one of Lua's libraries does not have.
    mutating func noteMissing(_ name: LuaToken, of library: String, _ members: Set<String>) {
        let path = "\(library).\(name.text)"
        let isAbsent = ScriptNames.absent.contains(path)
        noteLibraryRead(
            path,
            Finding(
                severity: isAbsent ? .error : .warning,
                range: name.range,
                message: isAbsent
                    ? "'\(path)' is not available in scripts"
                    : "unknown field '\(name.text)' of \(library)",
                help: isAbsent ? nil : Suggestion.help(for: name.text, among: members.sorted())
            )
        )
    }
}

extension Hooks {
    /// The names of the hooks, separated by commas.
    fileprivate var luaName: String {
        let names: [(Hooks, String)] = [
            (.request, "request"), (.response, "response"), (.message, "message"),
            (.record, "record"),
        ]
        return names.filter { contains($0.0) }.map(\.1).joined(separator: ", ")
    }
}
