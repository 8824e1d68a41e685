// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplineModel
internal import TaplinePlugin

/// A detector that finds known tokens anywhere, ignoring case.
///
/// With it, `redact` finds them in all places and encodings that it supports.
struct TokenDetectors: DetectorLibrary {
    /// The name of the detector.
    static let name = "token"

    let tokens: Set<[UInt8]>

    var detectors: [DetectorDescription] {
        [DetectorDescription(name: Self.name, group: Self.name, summary: "Known tokens.")]
    }

    func build(_ choice: DetectorChoice, into diagnostics: inout Diagnostics) -> (any DetectorSet)?
    {
        TokenSet(tokens)
    }
}

/// Tokens, by their first bytes.
private final class TokenSet: DetectorSet {
    let kinds = [TokenDetectors.name]
    // A token contains no NUL.
    let endsAtNUL = true
    /// The tokens by their first byte, in lower case, longest first.
    private let byFirst: [[[UInt8]]]

    init(_ tokens: Set<[UInt8]>) {
        var byFirst: [[[UInt8]]] = Array(repeating: [], count: 256)
        for token in tokens.sorted(by: { $0.count > $1.count }) {
            guard let first = token.first else { continue }
            byFirst[Int(first.asciiLowercased)].append(token)
        }
        self.byFirst = byFirst
    }

    func makeScanner() throws -> any SecretScanner { Scanner(self) }

    /// Returns the end of the token at a position; `nil` if there is none.
    fileprivate func end(of bytes: Span<UInt8>, from start: Int) -> Int? {
        for token in byFirst[Int(bytes[start].asciiLowercased)] {
            let end = start + token.count
            guard end <= bytes.count else { continue }
            if bytes.extracting(start..<end).equalsIgnoringCase(token.span) { return end }
        }
        return nil
    }
}

private final class Scanner: SecretScanner {
    private let set: TokenSet

    init(_ set: TokenSet) { self.set = set }

    func scan(_ bytes: Span<UInt8>, into findings: inout [SecretFinding]) {
        var position = 0
        while position < bytes.count {
            guard let end = set.end(of: bytes, from: position) else {
                position += 1
                continue
            }
            findings.append(SecretFinding(start: position, end: end, kind: 0))
            position = end
        }
    }
}
