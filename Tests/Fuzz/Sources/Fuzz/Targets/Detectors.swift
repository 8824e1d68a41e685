// SPDX-License-Identifier: MIT

import TaplineConfig
import TaplineDetectors
import TaplinePlugin

/// The secret detectors: findings are in order and within the text, a planted secret is found, and
/// texts joined by a NUL byte have the same findings as each text.
func fuzzDetectors(_ input: inout FuzzInput) {
    switch input.below(3) {
    case 0: checkJoined(&input)
    case 1: checkPlanted(&input)
    default: checkPattern(&input)
    }
}

/// Returns a scanner for some patterns, or without patterns for all detectors, including those that
/// are off by default.
private func makeScanner(_ patterns: [String]) -> (any SecretScanner)? {
    var diagnostics = Diagnostics()
    guard let library = PluginRegistry.detectors.detectors else { return nil }
    let choice = DetectorChoice(
        names: patterns.isEmpty ? library.detectors.map { Located($0.name) } : [],
        patterns: patterns.map { SecretPattern(name: "own", regex: Located($0)) }
    )
    let set = library.build(choice, into: &diagnostics)
    require((set == nil) == diagnostics.hasErrors, "no detectors and no reason, or both")
    return try? set?.makeScanner()
}

nonisolated(unsafe) private let scanner = makeScanner([])

private func scan(_ bytes: [UInt8], _ scanner: (any SecretScanner)?) -> [SecretFinding] {
    guard let scanner else { fatalError("no scanner") }
    var findings: [SecretFinding] = []
    scanner.scan(bytes.span, into: &findings)
    var last = 0
    for finding in findings {
        require(finding.start >= last && finding.start < finding.end, "not in order: \(findings)")
        last = finding.end
    }
    require(last <= bytes.count, "past the end: \(findings)")
    return findings
}

private func checkJoined(_ input: inout FuzzInput) {
    let first = input.take(input.below(256))
    let second = input.rest()
    let shift = first.count + 1
    let separate =
        unsafe scan(first, scanner)
        + scan(second, scanner).map {
            SecretFinding(start: $0.start + shift, end: $0.end + shift, kind: $0.kind)
        }
    let joined = unsafe scan(first + [0] + second, scanner)
    require(joined == separate, "joined: \(joined), separate: \(separate)")
}

/// Planted secrets, split so that the scanners of code hosts do not find them.
private let secrets = [
    "AKIA" + "Q3EGRPLJX7ZWN2VB", "gh" + "p_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8",
    "postgres://app:" + "hunter2" + "@db/shop", "jane@shop.test", "4111" + "111111111111",
    "DE89" + "370400440532013000", "Basic " + "amFuZTpzZWNyZXQ=",
].map { Array($0.utf8) }

private func checkPlanted(_ input: inout FuzzInput) {
    let secret = input.pick(secrets)
    let before = input.take(input.below(256)) + [0x0A]
    let text = before + secret + [0x0A] + input.rest()
    let places = before.count..<before.count + secret.count
    let found = unsafe scan(text, scanner)
    require(
        found.contains { $0.start < places.upperBound && $0.end > places.lowerBound },
        "not found: \(String(decoding: text, as: UTF8.self).debugDescription)"
    )
}

private func checkPattern(_ input: inout FuzzInput) {
    let regex = String(decoding: input.take(input.below(64)), as: UTF8.self)
    guard !regex.isEmpty, let own = makeScanner([regex]) else { return }
    _ = scan(input.rest(), own)
}
