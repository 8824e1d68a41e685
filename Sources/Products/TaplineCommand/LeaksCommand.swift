// SPDX-License-Identifier: MIT

internal import TaplineCommandLine
internal import TaplineConfig
internal import TaplineLeaks
internal import TaplinePlugin
internal import TaplineSystem

/// `tapline leaks FILE...`.
enum LeaksCommand {
    static func run(_ invocation: Invocation) async -> ExitCode {
        let console = invocation.console
        return invocation.reportErrors(as: .unread) {
            let question = try LeaksArguments(invocation)
            let isJSON = invocation.value("format") == "json"
            var report = LeaksReport(isJSON: isJSON, limit: question.limit, console: console)
            let scan = try LeakScan(for: question.values, detectors: question.detectors) {
                report.add($0)
            }
            for path in invocation.operands { scan.scan(path) }
            report.end(scan.totals)
            if scan.totals.leaks > 0 { return .leaks }
            return scan.totals.unread > 0 ? .unread : .success
        }
    }
}

extension ExitCode {
    /// `leaks` found secrets.
    static let leaks = ExitCode(rawValue: 1)
    /// `leaks` found no secrets, but could not read everything.
    static let unread = ExitCode(rawValue: 2)
}

/// What to search for, read from the command line.
struct LeaksArguments {
    /// The values that must not appear.
    private(set) var values: [LeakValue] = []
    /// The detectors that find secrets by their form.
    private(set) var detectors: (any DetectorSet)?
    /// How many findings are shown.
    private(set) var limit = 1000

    init(_ invocation: Invocation) throws {
        if let text = invocation.value("max") {
            guard let limit = Int(text), limit >= 0 else {
                throw UsageError(
                    message: "wrong value of '--max'; found '\(text)', expected a number"
                )
            }
            self.limit = limit
        }
        var allowed: [String] = []
        for path in invocation.values("allow-file") {
            allowed += try Self.lines(of: path).map { String(decoding: $0.bytes, as: UTF8.self) }
        }
        values = try Self.values(of: invocation, allowed: Set(allowed))
        try chooseDetectors(invocation, allowed: allowed)
        if values.isEmpty, detectors == nil {
            throw UsageError(
                message: "there is nothing to look for",
                help: "give '--detectors standard', '--value-file FILE' or '--value-env NAME'"
            )
        }
    }

    // MARK: Values

    /// Reads the values of `--value-file` and `--value-env`.
    static func values(
        of invocation: Invocation,
        allowed: Set<String> = []
    ) throws -> [LeakValue] {
        let files = invocation.values("value-file")
        if files.contains("-"), invocation.operands.contains("-") {
            throw UsageError(
                message: "'-' is given twice; standard input can be read only once"
            )
        }
        var values: [LeakValue] = []
        for path in files {
            let file = path == "-" ? "standard input" : FileSystem.name(of: path)
            for (number, bytes) in try lines(of: path)
            where !allowed.contains(String(decoding: bytes, as: UTF8.self)) {
                values.append(try value(bytes, "\(file):\(number)"))
            }
        }
        for name in invocation.values("value-env") {
            guard let text = invocation.environment[name] else {
                throw UsageError(message: "the environment variable '\(name)' is not set")
            }
            guard !allowed.contains(text) else { continue }
            values.append(try value(Array(text.utf8), name))
        }
        return values
    }

    private static func value(_ bytes: [UInt8], _ name: String) throws(UsageError) -> LeakValue {
        guard let value = LeakValue(bytes, name: name) else {
            let expected = "\(LeakValue.minBytes) to \(LeakValue.maxBytes)"
            throw UsageError(
                message:
                    "the value of '\(name)' has \(Counted.text(bytes.count, "byte")); expected \(expected)"
            )
        }
        return value
    }

    /// Returns the lines of a file that are not empty, with their numbers.
    private static func lines(of path: String) throws -> [(number: Int, bytes: [UInt8])] {
        var bytes: [UInt8] = []
        do {
            let file = path == "-" ? File.standardInput : try File(path, for: .read)
            while try file.read(appendingTo: &bytes, atMost: 1 << 16) > 0 {
                guard bytes.count <= 64 << 20 else {
                    throw UsageError(message: "'\(path)' is too large; expected at most 64 MiB")
                }
            }
        } catch let error as FileError {
            throw UsageError(message: "\(error)")
        }
        // Some editors begin a file with a byte order mark, which is no part of the first value.
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes.removeFirst(3) }
        return bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .enumerated().map { number, line in
                (number + 1, Array(line.last == 0x0D ? line.dropLast() : line))
            }
            .filter { !$0.bytes.isEmpty }
    }

    // MARK: Detectors

    private mutating func chooseDetectors(_ invocation: Invocation, allowed: [String]) throws {
        let asked = invocation.value("detectors")
        guard asked != "off" else { return }
        guard let library = invocation.registry.detectors else {
            if asked == nil, !values.isEmpty { return }
            throw UsageError(
                message: "this tapline has no detectors, because the product 'TaplineDetectors' "
                    + "is not linked",
                help: "give '--value-file FILE' or '--value-env NAME' to look for values"
            )
        }
        let words = (asked ?? "standard").split(separator: ",").map(String.init)
        var choice = DetectorChoice(allowed: allowed)
        for word in words {
            if word == "standard" {
                choice.standard = true
            } else {
                choice.names.append(Located(word))
            }
        }
        var diagnostics = Diagnostics()
        guard let set = library.build(choice, into: &diagnostics), !diagnostics.hasErrors else {
            let problem = diagnostics.all.first
            throw UsageError(
                message: problem?.message ?? "the detectors cannot be built",
                help: problem?.help
            )
        }
        detectors = set
    }
}
