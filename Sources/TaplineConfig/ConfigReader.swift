// SPDX-License-Identifier: MIT

/// Turns the bytes of a YAML file into a tree of nodes with positions.
///
/// Whatever the bytes are, the outcome is a tree, or errors, or both; nothing traps and the
/// limits bound time and memory.
public struct ConfigReader: Sendable {
    /// What the file may cost.
    public var limits: YAMLLimits

    /// Makes a reader.
    public init(limits: YAMLLimits = YAMLLimits()) {
        self.limits = limits
    }

    /// Reads one document.
    ///
    /// - Parameters:
    ///   - bytes: The file as it is on disk.
    ///   - name: What messages call it.
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
            diagnostics.error(
                at: nil,
                "\(name): the file is too large; found \(ByteSizeText.text(bytes.count)), "
                    + "expected at most \(ByteSizeText.text(limits.bytes))",
                help: "a configuration is written by hand; is this a recording?"
            )
            return nil
        }
        return read(ConfigSource(name: name, bytes: bytes, folder: folder), into: &diagnostics)
    }

    /// Reads one document from a source.
    public func read(_ source: ConfigSource, into diagnostics: inout Diagnostics) -> ConfigNode? {
        guard source.bytes.count <= limits.bytes else {
            diagnostics.error(at: nil, "\(source.name): the file is too large")
            return nil
        }
        guard Self.isText(source, into: &diagnostics) else { return nil }
        var composer = NodeComposer(source: source, limits: limits)
        let node = composer.compose()
        diagnostics.append(contentsOf: composer.diagnostics)
        return node
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
