// SPDX-License-Identifier: MIT

internal import TaplineMultiPattern
internal import TaplinePlugin

/// Finds secrets in texts.
///
/// **Shape.** Each lane has one; between two texts it keeps only its buffers.
final class DetectorScanner: SecretScanner {
    // A single value, so that a scan needs one exclusive access to this object instead of one for
    // each candidate.
    private var search: DetectorSearch

    init(_ set: CompiledDetectors) throws(LiteralSetError) {
        search = try DetectorSearch(set)
    }

    func scan(_ bytes: Span<UInt8>, into findings: inout [SecretFinding]) {
        search.scan(bytes, into: &findings)
    }
}
