// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplinePlugin

/// What was found while a script was read, and what of it is told in the end.
struct LuaFindings {
    struct Finding {
        let severity: Diagnostic.Severity
        let range: Range<Int>
        let message: String
        var help: String?
        /// The variable whose value it rests on.
        var variable: Int?
    }

    /// A global name that was read.
    private struct Read {
        let name: String
        let range: Range<Int>
        /// Whether something is called or read of it, which fails when it is nil.
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
    /// Whether globals may come from where nobody sees them.
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
        // It was read as the name that is assigned, and nothing else.
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

    /// Notes that a value is called, or that something is read of it.
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

    /// What a call gives.
    mutating func result(ofCalling value: LuaValue, until end: Int, in scope: LuaScope) -> LuaValue
    {
        noteUse(of: value, in: scope)
        var result = LuaValue(value.range.lowerBound..<end)
        result.isCall = true
        guard let member = value.member ?? value.shadowedMethod else { return result }
        if member.kind == .method, !value.callsMethod {
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

    /// A call whose result nobody takes.
    mutating func noteUnused(_ value: LuaValue) {
        guard value.type == "tapline.Verdict" else { return }
        let text = value.path ?? "drop()"
        add(
            .warning,
            value.range,
            "a verdict is made and not returned",
            help: "write 'return \(text.dropLast())…)'",
            variable: value.variable
        )
    }
}

// MARK: - In the end

extension LuaFindings {
    /// All that is to be told.
    mutating func finish(_ scope: LuaScope) -> [Finding] {
        tellGlobals()
        tellHooks(scope)
        // What the script itself puts into a library is there.
        list += libraryReads.filter { !libraryWrites.contains($0.path) }.map(\.finding)
        return list.filter { !scope.isUncertain($0.variable) }
    }

    private mutating func tellGlobals() {
        guard !hidesGlobals else { return }
        let known = ScriptNames.globals.union(written)
        let names = known.sorted()
        var helps: [String: String?] = [:]
        for read in reads where !known.contains(read.name) && list.count < Self.maxFindings {
            if ScriptNames.absent.contains(read.name) {
                // Asking whether it is there is no mistake.
                guard read.isNeeded else { continue }
                add(.error, read.range, "'\(read.name)' is not there in scripts")
            } else {
                let help = helps[read.name] ?? Suggestion.help(for: read.name, among: names)
                helps[read.name] = help
                add(.warning, read.range, "unknown global '\(read.name)'", help: help)
            }
        }
    }

    private mutating func tellHooks(_ scope: LuaScope) {
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
                add(.warning, earlier.range, "hook '\(hook)' is defined again below, which counts")
            }
        }
        for (name, variable) in localHooks where !scope.variables[variable].isUsed {
            isHookThere = true
            add(
                .warning,
                name.range,
                "function '\(name.text)' is local, so it is never called as a hook",
                help: "leave out 'local'"
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
