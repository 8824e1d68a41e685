// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplinePlugin

/// Collects findings while a script is read, and selects those that are reported at the end.
struct LuaFindings {
    struct Finding {
        let severity: Diagnostic.Severity
        let range: Range<Int>
        let message: String
        var help: String?
        /// The variable whose value the finding depends on.
        var variable: Int?
    }

    /// A global name that was read.
    private struct Read {
        let name: String
        let range: Range<Int>
        /// Whether the global is called or indexed, which fails if it is nil.
        var isNeeded = false
    }

    private static let maxFindings = 1000
    private static let maxReads = 100_000

    private var list: [Finding] = []
    private var reads: [Read] = []
    private var written: Set<String> = []
    private var functions: [(name: String, range: Range<Int>)] = []
    private var libraryReads: [(path: String, finding: Finding)] = []
    private var libraryWrites: Set<String> = []
    private var localHooks: [(name: LuaToken, variable: Int)] = []
    /// Whether globals may be defined in ways that the check cannot see.
    private var hidesGlobals = false
    /// Whether the script returns a value, as modules do.
    var returnsValue = false

    mutating func add(
        _ severity: Diagnostic.Severity,
        _ range: Range<Int>,
        _ message: String,
        help: String? = nil,
        variable: Int? = nil
    ) {
        guard list.count < Self.maxFindings else { return }
        list.append(
            Finding(
                severity: severity,
                range: range,
                message: message,
                help: help,
                variable: variable
            )
        )
    }

    // MARK: Globals

    mutating func noteRead(_ name: String, _ range: Range<Int>) {
        if name == "_ENV" || name == "_G" { hidesGlobals = true }
        guard reads.count < Self.maxReads else { return }
        reads.append(Read(name: name, range: range))
    }

    mutating func noteWritten(_ name: String) {
        written.insert(name)
        // The last read was only the assigned name itself.
        if reads.last?.name == name { reads.removeLast() }
    }

    mutating func noteFunction(_ name: String, _ range: Range<Int>) {
        functions.append((name, range))
    }

    mutating func noteLocalFunction(_ name: LuaToken, _ variable: Int) {
        if ScriptNames.hooks.contains(name.text) { localHooks.append((name, variable)) }
    }

    mutating func noteLibraryRead(_ path: String, _ finding: Finding) {
        guard libraryReads.count < Self.maxFindings else { return }
        libraryReads.append((path, finding))
    }

    mutating func noteLibraryWritten(_ path: String) { libraryWrites.insert(path) }

    // MARK: Use

    /// Notes that a value is called or indexed.
    mutating func noteUse(of value: LuaValue, in scope: LuaScope) {
        if let global = value.global,
            let index = reads.lastIndex(where: { $0.range == value.range && $0.name == global })
        {
            reads[index].isNeeded = true
        }
        if value.path == "ex.response", scope.hook == .request {
            add(
                .error,
                value.range,
                "there is no response in hook 'request'",
                help: "read it in 'response' or 'record'",
                variable: value.variable
            )
        }
    }

    /// The result of a call.
    mutating func result(ofCalling value: LuaValue, until end: Int, in scope: LuaScope) -> LuaValue
    {
        noteUse(of: value, in: scope)
        var result = LuaValue(value.range.lowerBound..<end, .call)
        guard let member = value.member ?? value.shadowedMethod else { return result }
        if member.kind == .method, value.kind != .method {
            add(
                .error,
                value.nameRange,
                "'\(member.name)' is called with a dot; expected a colon",
                help: "write ':\(member.name)('",
                variable: value.variable
            )
        }
        result.type = ScriptNames.result(of: member.type)
        result.path = value.path.map { "\($0)()" }
        result.variable = value.variable
        return result
    }

    /// Notes a call whose result is not used.
    mutating func noteUnused(_ value: LuaValue) {
        guard value.type == "tapline.Verdict" else { return }
        let text = value.path ?? "drop()"
        add(
            .warning,
            value.range,
            "a verdict is created but not returned",
            help: "write 'return \(text.dropLast())…)'",
            variable: value.variable
        )
    }
}

// MARK: - Results

extension LuaFindings {
    /// Returns all findings to report.
    mutating func finish(_ scope: LuaScope) -> [Finding] {
        reportGlobals()
        reportHooks(scope)
        // Members that the script itself adds to a library exist.
        list += libraryReads.filter { !libraryWrites.contains($0.path) }.map(\.finding)
        return list.filter { !scope.isUncertain($0.variable) }
    }

    private mutating func reportGlobals() {
        guard !hidesGlobals else { return }
        let known = ScriptNames.globals.union(written)
        let names = known.sorted()
        var helps: [String: String?] = [:]
        for read in reads where !known.contains(read.name) && list.count < Self.maxFindings {
            if ScriptNames.absent.contains(read.name) {
                // Testing whether it exists is not a mistake.
                guard read.isNeeded else { continue }
                add(.error, read.range, "'\(read.name)' is not available in scripts")
            } else {
                let help = helps[read.name] ?? Suggestion.help(for: read.name, among: names)
                helps[read.name] = help
                add(.warning, read.range, "unknown global '\(read.name)'", help: help)
            }
        }
    }

    private mutating func reportHooks(_ scope: LuaScope) {
        let used = Set(reads.map(\.name))
        var isHookThere =
            hidesGlobals
            || !written.isDisjoint(with: ["request", "response", "message", "record"])
        for (name, range) in functions where !ScriptNames.hooks.contains(name) {
            guard !used.contains(name), !hidesGlobals,
                let near = Suggestion.nearest(to: name, among: ScriptNames.hooks)
            else { continue }
            isHookThere = true
            add(
                .warning,
                range,
                "function '\(name)' is never called",
                help: "did you mean the hook '\(near)'?"
            )
        }
        for hook in ScriptNames.hooks {
            let all = functions.filter { $0.name == hook }
            for earlier in all.dropLast() {
                add(.warning, earlier.range, "hook '\(hook)' is overridden by the one below")
            }
        }
        for (name, variable) in localHooks where !scope.variables[variable].isUsed {
            isHookThere = true
            add(
                .warning,
                name.range,
                "function '\(name.text)' is local, so it is never called as a hook",
                help: "remove 'local'"
            )
        }
        if !isHookThere, !returnsValue {
            add(
                .warning,
                0..<0,
                "script has no hook; expected a global function request, response, message or record"
            )
        }
    }
}
