// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplineModel
internal import TaplinePlugin

/// A detector that finds known tokens wherever they stand, whatever the case of their letters.
///
/// So `redact` finds them in all the places and codings that it knows.
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
    // No token has a NUL in it.
    let endsAtNUL = true
    /// The tokens that begin with each byte, in small letters, longer ones first.
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

    /// Where the token at a position ends; `nil` if none stands there.
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
