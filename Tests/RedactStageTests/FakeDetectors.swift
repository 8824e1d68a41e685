// SPDX-License-Identifier: MIT

import TaplineConfig
import TaplinePlugin

/// Minimal detectors: `SK-` followed by capital letters and digits, and sixteen digits in a row.
///
/// A pattern is found wherever its expression occurs literally.
struct FakeDetectors: DetectorLibrary {
    /// The value of `endsAtNUL` of its sets.
    var endsAtNUL = true

    var detectors: [DetectorDescription] {
        [
            DetectorDescription(name: "key", group: "keys", summary: "SK-…"),
            DetectorDescription(name: "card", group: "numbers", summary: "sixteen digits"),
        ]
    }

    func build(
        _ choice: DetectorChoice,
        into diagnostics: inout Diagnostics
    ) -> (
        any DetectorSet
    )? {
        var kinds = choice.standard ? ["key", "card"] : []
        for name in choice.names {
            guard name.value == "key" || name.value == "card" else {
                diagnostics.error(
                    at: name.node?.location,
                    "unknown detector '\(name.value)'; expected key, card"
                )
                return nil
            }
            kinds.append(name.value)
        }
        return Detectors(
            kinds: kinds + choice.patterns.map(\.name),
            words: choice.patterns.map { Array($0.regex.value.utf8) },
            allowed: choice.allowed,
            endsAtNUL: endsAtNUL
        )
    }

    private struct Detectors: DetectorSet {
        let kinds: [String]
        let words: [[UInt8]]
        let allowed: [String]
        let endsAtNUL: Bool

        func makeScanner() throws -> any SecretScanner { Scanner(self) }
    }

    private final class Scanner: SecretScanner {
        private let set: Detectors

        init(_ set: Detectors) { self.set = set }

        func scan(_ bytes: Span<UInt8>, into findings: inout [SecretFinding]) {
            var position = 0
            while position < bytes.count {
                guard let (end, kind) = match(bytes, position), !isAllowed(bytes, position..<end)
                else {
                    position += 1
                    continue
                }
                findings.append(SecretFinding(start: position, end: end, kind: kind))
                position = end
            }
        }

        private func match(_ bytes: Span<UInt8>, _ start: Int) -> (end: Int, kind: Int)? {
            if let kind = set.kinds.firstIndex(of: "key") {
                var end = start + 3
                if end < bytes.count, bytes[start] == 0x53, bytes[start + 1] == 0x4B,
                    bytes[start + 2] == 0x2D
                {
                    while end < bytes.count, (0x30...0x5A).contains(bytes[end]) { end += 1 }
                    if end - start > 6 { return (end, kind) }
                }
            }
            if let kind = set.kinds.firstIndex(of: "card") {
                var end = start
                var digits = 0
                while end < bytes.count, digits < 16 {
                    if 0x30...0x39 ~= bytes[end] {
                        digits += 1
                    } else if digits == 0 || bytes[end] != 0x20 {
                        break
                    }
                    end += 1
                }
                if digits == 16 { return (end, kind) }
            }
            for (index, word) in set.words.enumerated() where start + word.count <= bytes.count {
                guard (0..<word.count).allSatisfy({ bytes[start + $0] == word[$0] }) else {
                    continue
                }
                return (start + word.count, set.kinds.count - set.words.count + index)
            }
            return nil
        }

        private func isAllowed(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
            set.allowed.contains { String(decoding: range.map { bytes[$0] }, as: UTF8.self) == $0 }
        }
    }
}
