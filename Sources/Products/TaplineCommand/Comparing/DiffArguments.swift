// SPDX-License-Identifier: MIT

internal import TaplineCommandLine
internal import TaplineConfig
internal import TaplineMatching
internal import TaplineQuery
internal import TaplineStore
internal import TaplineSystem

/// The formats of a comparison's report.
enum ComparisonFormat: String, CaseIterable {
    case text
    case json
    case junit
    case html
}

/// The arguments of `tapline diff`, read from the command line.
struct DiffArguments {
    static let presets = ["strict", "standard", "none"]
    /// How large a file of rules may be, in bytes.
    private static let maxRuleBytes = 16 << 20

    let recorded: String
    /// The new recording; `nil` if rules are only learnt.
    let found: String?
    /// Other runs of the program that was recorded.
    let same: [String]
    /// Where to write learnt rules; `nil` for nowhere.
    let learned: String?
    let filter: Filter?
    let session: FieldReference?
    var options: ComparisonOptions
    let maxDifferences: Int
    let preset: String
    let format: ComparisonFormat
    /// Where to write the report; `nil` for standard output.
    let output: String?

    init(_ invocation: Invocation) throws {
        let names = invocation.operands
        recorded = names[0]
        found = names.count > 1 ? names[1] : nil
        same = invocation.values("same")
        learned = invocation.value("learn")
        filter = try invocation.value("filter").map { text in
            try StoreArguments.filter(
                text,
                orElse: "filter",
                of: { try StoreSet(names) },
                invocation.environment
            )
        }
        session = try invocation.value("session").map(Self.session)
        options = ComparisonOptions(noise: try Self.rules(invocation))
        if let text = invocation.value("headers") {
            options = ComparisonOptions(
                fields: text.split(separator: ",").map { $0.filter { $0 != " " } },
                noise: options.noise
            )
        }
        options.schema = try Descriptors.read(invocation)
        maxDifferences = try invocation.number("max-differences") ?? 0
        format = invocation.value("format").flatMap(ComparisonFormat.init(rawValue:)) ?? .text
        preset =
            invocation.value("preset") ?? (format == .html ? ReportSearch.preset : "standard")
        output = invocation.value("out").flatMap { $0 == "-" ? nil : $0 }
        try check(invocation)
    }

    private func check(_ invocation: Invocation) throws {
        if let name = ([recorded, found] + same).first(where: { $0 == "-" }) {
            throw UsageError(
                message: "'\(name ?? "-")' cannot be compared, since it is read more than once",
                help: "write standard input to a file first"
            )
        }
        guard found != nil || learned != nil else {
            throw UsageError(
                message: "'diff' needs B",
                help: "tapline diff A B, or tapline diff A --learn FILE"
            )
        }
        for path in [learned, output].compactMap(\.self) where !invocation.has("force") {
            if try FileSystem.status(of: path)?.kind == .regular {
                throw UsageError(message: "'\(path)' exists; --force replaces it")
            }
        }
    }

    private static func session(_ text: String) throws -> FieldReference {
        let fields: [FieldReference]
        do throws(FilterError) {
            fields = try FieldReference.list(text)
        } catch {
            throw UsageError("wrong value of '--session'", text, error)
        }
        guard fields.count == 1 else {
            throw UsageError(
                message: "wrong value of '--session'; found \(fields.count) fields, expected one"
            )
        }
        return fields[0]
    }

    // MARK: Rules

    /// Returns the rules of the options, and of the files that they name.
    static func rules(_ invocation: Invocation) throws -> NoiseRules {
        var rules = NoiseRules()
        for path in invocation.values("noise") { rules.append(contentsOf: try read(path)) }
        for text in invocation.values("ignore") {
            let given = try rule(text, of: "ignore")
            rules.append(
                NoiseRule(
                    method: given.method,
                    route: given.route,
                    given.action == .varies ? .ignore : given.action,
                    path: given.path
                )
            )
        }
        for text in invocation.values("unordered") {
            rules.append(try rule("unordered \(text)", of: "unordered", shown: text))
        }
        for text in invocation.values("key") {
            guard let equals = text.lastIndex(of: "=") else {
                throw UsageError(
                    message: "wrong value of '--key'; found '\(text)', expected PATH=NAME such as "
                        + "$.items=id"
                )
            }
            let name = text[text.index(after: equals)...]
            rules.append(try rule("key \(name) \(text[..<equals])", of: "key", shown: text))
        }
        return rules
    }

    private static func rule(
        _ text: String,
        of option: String,
        shown: String? = nil
    ) throws -> NoiseRule {
        do throws(NoiseRuleError) {
            let lines = try NoiseRules(text).lines
            guard lines.count == 1 else {
                throw NoiseRuleError(line: 1, column: 1, message: "expected one rule")
            }
            return lines[0].rule
        } catch {
            throw UsageError(
                message: "wrong value of '--\(option)'; found '\(shown ?? text)': \(error.message)"
            )
        }
    }

    private static func read(_ path: String) throws -> NoiseRules {
        var bytes: [UInt8] = []
        let file = try File(path, for: .read)
        while bytes.count <= maxRuleBytes, try file.read(appendingTo: &bytes, atMost: 65_536) > 0 {}
        guard bytes.count <= maxRuleBytes else {
            throw UsageError(message: "'\(path)' is not a file of rules: it has more than 16 MiB")
        }
        do throws(NoiseRuleError) {
            return try NoiseRules(String(decoding: bytes, as: UTF8.self))
        } catch {
            throw WrongRules(path: path, error: error)
        }
    }
}

/// A file of rules is wrong.
struct WrongRules: Error, CustomStringConvertible {
    let path: String
    let error: NoiseRuleError

    var description: String { "\(path):\(error.line):\(error.column): error: \(error.message)" }
}
