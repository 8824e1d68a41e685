// SPDX-License-Identifier: MIT

/// Turns the bytes of a YAML file into a tree of nodes with positions.
///
/// Whatever the bytes are, the outcome is a tree, or errors, or both; nothing traps and the
/// limits bound time and memory.
public struct ConfigReader: Sendable {
    /// What the file may cost.
    public let limits: YAMLLimits

    /// Makes a reader.
    public init(limits: YAMLLimits = YAMLLimits()) {
        self.limits = limits.bounded
    }

    /// Reads one document.
    ///
    /// A caller that reads from a file or a pipe may stop at one byte more than the limit.
    ///
    /// - Parameters:
    ///   - bytes: The file as it is on disk.
    ///   - name: What messages call it.
    ///   - folder: Where relative paths start; the folder of `name` when absent.
    ///   - diagnostics: Where problems go.
    /// - Returns: The tree; nil when the text is not YAML or there is no document in it. A tree
    ///   can come together with errors (duplicate keys, unknown tags): use it to find more.
    public func read(
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
    public func read(_ source: ConfigSource, into diagnostics: inout Diagnostics) -> ConfigNode? {
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

    /// Checks the encoding, so that positions are right and messages clear.
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
