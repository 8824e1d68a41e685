// SPDX-License-Identifier: MIT

/// Parses the bytes of a YAML file into a tree of nodes with locations.
///
/// Any input gives a tree, errors, or both. Nothing traps, and the limits bound time and memory.
package struct ConfigReader: Sendable {
    /// The limits of a file.
    package let limits: YAMLLimits

    /// Creates a reader.
    package init(limits: YAMLLimits = YAMLLimits()) {
        self.limits = limits.bounded
    }

    /// Reads one document.
    ///
    /// A caller that reads from a file or a pipe may stop at one byte beyond the limit.
    ///
    /// - Parameters:
    ///   - bytes: The content of the file.
    ///   - name: The name of the file in messages.
    ///   - folder: The folder that relative paths are resolved against; the folder of `name` if
    ///     `nil`.
    ///   - diagnostics: Receives the problems.
    /// - Returns: The tree; `nil` if the text is not YAML or contains no document. A tree can be
    ///   returned together with errors (duplicate keys, unknown tags), so that further problems can
    ///   be found.
    package func read(
        _ bytes: [UInt8],
        name: String,
        folder: String? = nil,
        into diagnostics: inout Diagnostics
    ) -> ConfigNode? {
        guard bytes.count <= limits.bytes else {
            refuseSize(name, into: &diagnostics)
            return nil
        }
        let source = ConfigSource(name: name, bytes: bytes, folder: folder)
        return read(source, into: &diagnostics)
    }

    /// Reads one document from a source.
    package func read(_ source: ConfigSource, into diagnostics: inout Diagnostics) -> ConfigNode? {
        guard source.bytes.count <= limits.bytes else {
            refuseSize(source.name, into: &diagnostics)
            return nil
        }
        guard Self.isText(source, into: &diagnostics) else { return nil }
        var composer = NodeComposer(source: source, limits: limits)
        let node = composer.compose()
        diagnostics.append(contentsOf: composer.diagnostics)
        if node == nil || node?.isNull == true, !composer.diagnostics.hasErrors {
            diagnostics.error(
                at: source.location(at: 0),
                "the file is empty; expected a mapping",
                help: "lines that begin with '#' are comments"
            )
            return nil
        }
        return node
    }

    private func refuseSize(_ name: String, into diagnostics: inout Diagnostics) {
        diagnostics.error(
            at: ConfigSource(name: name, bytes: [], hasLines: false).location(at: 0),
            "the file is too large; expected at most \(ByteSizeText.text(limits.bytes))",
            help: "a configuration is small; is this a recording?"
        )
    }

    /// Checks the encoding, so that locations are correct and messages are clear.
    private static func isText(
        _ source: ConfigSource,
        into diagnostics: inout Diagnostics
    ) -> Bool {
        let bytes = source.bytes
        if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
            diagnostics.error(
                at: source.location(at: 0, length: 2),
                "the file is UTF-16; expected UTF-8",
                help: "save it as UTF-8"
            )
            return false
        }
        guard let offset = UTF8Check.firstInvalidByte(in: bytes) else { return true }
        diagnostics.error(
            at: source.location(at: offset, length: 1),
            "the file is not UTF-8; found byte 0x\(UTF8Check.hex(bytes[offset])) at offset \(offset)",
            help: "save it as UTF-8"
        )
        return false
    }
}
