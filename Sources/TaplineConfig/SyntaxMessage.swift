// SPDX-License-Identifier: MIT

internal import TaplineYAML

/// libyaml's complaint in words for people, with help for the traps of YAML.
struct SyntaxMessage {
    let error: YAMLError
    let source: ConfigSource
    let positions: ScalarPositions

    init(_ error: YAMLError, source: ConfigSource, positions: ScalarPositions) {
        self.error = error
        self.source = source
        self.positions = positions
    }

    /// The problem with its place.
    var diagnostic: Diagnostic {
        if let byteOffset = error.byteOffset {
            return Diagnostic(
                .error,
                at: source.location(at: byteOffset + positions.skipped, length: 1),
                error.problem
            )
        }
        let offset = error.mark.map { positions.byteOffset(ofScalar: $0.index) } ?? 0
        return Diagnostic(.error, at: source.location(at: offset, length: 1), error.description)
    }
}
