// SPDX-License-Identifier: MIT

import TaplineConfig
import TaplineDetectors
import TaplineModel
import TaplinePlugin
import Testing

/// Selects detectors by name, for tests.
struct Scan {
    /// A finding: its kind and its text.
    struct Finding: Hashable, CustomStringConvertible {
        let kind: String
        let text: String
        var description: String { "\(kind): '\(text)'" }
    }

    let set: any DetectorSet
    private let scanner: any SecretScanner

    init(_ choice: DetectorChoice) throws {
        let library = try #require(PluginRegistry.detectors.detectors)
        var diagnostics = Diagnostics()
        let built = library.build(choice, into: &diagnostics)
        try #require(diagnostics.isEmpty, "\(diagnostics.all.map(\.rendered))")
        set = try #require(built)
        scanner = try set.makeScanner()
    }

    /// Selects the detectors with these names; the standard ones by default.
    init(_ names: [String] = ["standard"], allowed: [String] = []) throws {
        try self.init(DetectorChoice(names: names.map { Located($0) }, allowed: allowed))
    }

    /// Selects a single pattern of the user.
    init(pattern regex: String, group: Int = 0) throws {
        try self.init(
            DetectorChoice(
                patterns: [SecretPattern(name: "own", regex: Located(regex), group: group)]
            )
        )
    }

    func ranges(_ bytes: [UInt8]) -> [SecretFinding] {
        var findings: [SecretFinding] = []
        scanner.scan(bytes.span, into: &findings)
        return findings
    }

    func callAsFunction(_ text: String) -> [Finding] {
        let bytes = Array(text.utf8)
        return ranges(bytes).map { finding in
            Finding(
                kind: set.kinds[finding.kind],
                text: String(decoding: bytes[finding.start..<finding.end], as: UTF8.self)
            )
        }
    }

    /// Returns the texts of the findings.
    func texts(_ text: String) -> [String] {
        self(text).map(\.text)
    }
}
