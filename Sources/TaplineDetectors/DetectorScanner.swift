// SPDX-License-Identifier: MIT

internal import TaplinePatterns
internal import TaplinePlugin

/// Finds secrets in texts.
///
/// **Shape.** One for each lane; between two texts it keeps nothing but room.
final class DetectorScanner: SecretScanner {
    // In one value, so that a scan is one access to this object and not some for each candidate.
    private var search: DetectorSearch

    init(_ set: CompiledDetectors) throws(LiteralSetError) {
        search = try DetectorSearch(set)
    }

    func scan(_ bytes: Span<UInt8>, into findings: inout [SecretFinding]) {
        search.scan(bytes, into: &findings)
    }
}
