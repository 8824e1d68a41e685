// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplineMatching
internal import TaplineSystem

/// The file of `map_file`: a list of bindings as YAML.
enum TokenMapFile {
    private static let maxBytes = 16 << 20
    private static let keys = ["bind", "from", "to"]

    /// Reads a file.
    ///
    /// - Parameters:
    ///   - path: The path.
    ///   - place: The option that names it.
    ///   - diagnostics: Receives all problems.
    /// - Returns: The bindings; `nil` if there was an error.
    static func read(
        _ path: String,
        _ place: SourceLocation?,
        into diagnostics: inout Diagnostics
    ) -> [TokenBinding]? {
        var bytes: [UInt8] = []
        do throws(FileError) {
            let file = try File(path, for: .readRegular)
            while bytes.count <= maxBytes {
                guard try file.read(appendingTo: &bytes, atMost: 65_536) > 0 else { break }
            }
        } catch {
            diagnostics.error(at: place, "\(error)")
            return nil
        }
        guard bytes.count <= maxBytes else {
            diagnostics.error(
                at: place,
                "'\(path)' is too large; expected at most \(maxBytes) bytes"
            )
            return nil
        }
        return parse(ConfigSource(name: path, bytes: bytes), into: &diagnostics)
    }

    /// Parses the text of a file; `nil` if there was an error.
    static func parse(
        _ source: ConfigSource,
        into diagnostics: inout Diagnostics
    ) -> [TokenBinding]? {
        var found = Diagnostics()
        defer { diagnostics.append(contentsOf: found) }
        guard let root = ConfigReader().read(source, into: &found) else { return nil }
        guard let elements = root.elements else {
            found.error(at: root.location, "found \(root.found), expected a list of bindings")
            return nil
        }
        var names: Set<String> = []
        let bindings = elements.compactMap { binding($0, &names, &found) }
        return found.hasErrors ? nil : bindings
    }

    private static func binding(
        _ node: ConfigNode,
        _ names: inout Set<String>,
        _ diagnostics: inout Diagnostics
    ) -> TokenBinding? {
        guard let pairs = node.pairs else {
            diagnostics.error(
                at: node.location,
                "found \(node.found), expected a mapping with 'bind', 'from' and 'to'"
            )
            return nil
        }
        for pair in pairs where !keys.contains(pair.key.text ?? "") {
            diagnostics.error(
                at: pair.key.location,
                "unknown key \(pair.key.found)",
                help: Suggestion.help(for: pair.key.text ?? "", among: keys)
            )
        }
        guard let name = node["bind"]?.text, let source = node["from"], let target = node["to"]
        else {
            let missing = keys.first { node[$0] == nil || $0 == "bind" && node[$0]?.text == nil }
            diagnostics.error(at: node.location, "'\(missing ?? "bind")' is missing")
            return nil
        }
        if !names.insert(name).inserted {
            diagnostics.error(
                at: node["bind"]?.location,
                "'\(name)' is the name of another binding, too; expected a unique name"
            )
        }
        let from = place(source, [.response, .message], &diagnostics)
        let to = (target.elements ?? [target]).compactMap {
            place($0, [.request, .message], &diagnostics)
        }
        guard let from else { return nil }
        return TokenBinding(name: name, source: from, targets: to)
    }

    /// Parses a place in some parts of exchanges; `nil` if there was an error.
    static func place(
        _ node: ConfigNode,
        _ parts: [TokenPlace.Message],
        _ diagnostics: inout Diagnostics
    ) -> TokenPlace? {
        let example =
            parts.contains(.request)
            ? "request header authorization" : "response json $.token of POST shop.test/login"
        guard let text = node.text else {
            diagnostics.error(
                at: node.location,
                "found \(node.found), expected a place such as '\(example)'"
            )
            return nil
        }
        do throws(TokenPlaceError) {
            let place = try TokenPlace(parsing: text)
            if parts.contains(place.message) { return place }
            diagnostics.error(
                in: node,
                at: 0..<place.message.rawValue.utf8.count,
                "found '\(place.message.rawValue)', expected "
                    + parts.map { "'\($0.rawValue)'" }.joined(separator: " or ")
            )
        } catch {
            diagnostics.error(
                in: node,
                at: error.offset..<error.offset + error.length,
                error.message
            )
        }
        return nil
    }

    /// Writes a new file, which appears when it is complete.
    ///
    /// - Throws: `FileError` if it cannot be written.
    static func write(_ bindings: [TokenBinding], to path: String) throws(FileError) {
        let temporary = FileSystem.temporaryName(for: path)
        let file = try File(temporary, for: .create)
        do throws(FileError) {
            try file.write(TokenBinding.yaml(bindings).utf8.span)
            try file.syncData()
            try FileSystem.move(temporary, to: path)
        } catch {
            try? FileSystem.remove(temporary)
            throw error
        }
    }
}
