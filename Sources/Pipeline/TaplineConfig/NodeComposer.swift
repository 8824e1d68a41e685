// SPDX-License-Identifier: MIT

internal import TaplineYAML

/// Builds the tree from libyaml's events: limits, aliases, tags, merge keys, duplicate keys.
struct NodeComposer {
    let source: ConfigSource
    private let limits: YAMLLimits
    let text: [UInt8]
    let positions: ScalarPositions
    var diagnostics = Diagnostics()

    private var anchors: [String: Composed] = [:]
    private var openAnchors: Set<String> = []
    private var nodeCount = 0
    private var aliasNodeCount = 0

    /// A node with its cost.
    private struct Composed {
        var node: ConfigNode
        /// The number of nodes, including this one.
        var count = 1
        /// The depth of nested collections.
        var height = 0

        /// Adds the cost of an element to that of its collection.
        mutating func add(_ element: Composed) {
            count += element.count
            height = max(height, element.height)
        }
    }

    /// Ends the reading; its message is already in the diagnostics.
    struct Stop: Error {}

    /// Prepares to read a text, which has the offsets of the source but may be blanked in part.
    init(source: ConfigSource, text: [UInt8]? = nil, limits: YAMLLimits) {
        self.source = source
        self.limits = limits.bounded
        self.text = text ?? source.bytes
        self.positions = ScalarPositions(self.text)
    }

    /// Returns the tree of the first document; `nil` if there is none or it cannot be read.
    mutating func compose() -> ConfigNode? {
        do {
            let parser = try YAMLParser(Array(positions.text(of: text)))
            return try document(parser)
        } catch let error as YAMLError {
            diagnostics.append(
                SyntaxMessage(error, source: source, bytes: text, positions: positions).diagnostic
            )
        } catch {}
        return nil
    }

    private mutating func document(_ parser: YAMLParser) throws -> ConfigNode? {
        var root: ConfigNode?
        while let event = try parser.next() {
            switch event.kind {
            case .streamStart, .documentEnd:
                continue
            case .streamEnd:
                return root
            case .documentStart:
                guard root == nil else {
                    diagnostics.error(
                        at: location(of: event, to: event.end),
                        "there is a second document; expected one per file",
                        help: "remove this '---', or put the rest into a file of its own"
                    )
                    return root
                }
                if let first = try parser.next() {
                    root = try node(first, parser, depth: 0).node
                }
            default:
                return root
            }
        }
        return root
    }

    /// Reads the node that begins with an event.
    private mutating func node(
        _ event: YAMLEvent,
        _ parser: YAMLParser,
        depth: Int
    ) throws -> Composed {
        let start = location(of: event, to: event.end)
        nodeCount += 1
        guard nodeCount <= limits.nodes else {
            throw stop(start, "the file has too many values; expected at most \(limits.nodes)")
        }
        if case .alias(let name) = event.kind {
            return try alias(name, at: start, depth: depth)
        }
        if let anchor = event.anchor {
            openAnchors.insert(anchor)
        }
        let result: Composed
        switch event.kind {
        case .scalar(let text, let style):
            result = Composed(node: scalar(text, style, event, at: start))
        case .sequenceStart:
            try checkDepth(depth + 1, at: start)
            result = try sequence(event, parser, depth: depth + 1)
        case .mappingStart:
            try checkDepth(depth + 1, at: start)
            result = try mapping(event, parser, depth: depth + 1)
        default:
            throw Stop()
        }
        if let anchor = event.anchor {
            openAnchors.remove(anchor)
            anchors[anchor] = result
        }
        return result
    }

    private mutating func sequence(
        _ start: YAMLEvent,
        _ parser: YAMLParser,
        depth: Int
    ) throws -> Composed {
        var elements: [ConfigNode] = []
        var result = Composed(node: ConfigNode(.null, at: location(of: start, to: start.end)))
        var end = start.end
        while let event = try parser.next() {
            if event.kind == .sequenceEnd {
                end = event.end
                break
            }
            let element = try node(event, parser, depth: depth)
            elements.append(element.node)
            result.add(element)
        }
        checkTag(start, allowed: "seq")
        result.height += 1
        result.node = ConfigNode(.sequence(elements), at: location(of: start, to: end))
        return result
    }

    private mutating func mapping(
        _ start: YAMLEvent,
        _ parser: YAMLParser,
        depth: Int
    ) throws -> Composed {
        var mapping = MappingBuilder()
        var result = Composed(node: ConfigNode(.null, at: location(of: start, to: start.end)))
        var end = start.end
        while let event = try parser.next() {
            if event.kind == .mappingEnd {
                end = event.end
                break
            }
            let isMerge = event.kind == .scalar("<<", .plain) && event.tag == nil
            let key = try node(event, parser, depth: depth)
            guard let next = try parser.next() else { break }
            let isKnown = isAliasKnown(next)
            let value = try node(next, parser, depth: depth)
            result.add(key)
            result.add(value)
            if !isMerge {
                mapping.add(key: key.node, value: value.node, into: &diagnostics)
            } else if isKnown {
                mapping.merge(value.node, into: &diagnostics)
            }
        }
        checkTag(start, allowed: "map")
        result.height += 1
        result.node = ConfigNode(.mapping(mapping.pairs), at: location(of: start, to: end))
        return result
    }

    private func isAliasKnown(_ event: YAMLEvent) -> Bool {
        guard case .alias(let name) = event.kind else { return true }
        return anchors[name] != nil && !openAnchors.contains(name)
    }

    private mutating func alias(
        _ name: String,
        at location: SourceLocation,
        depth: Int
    ) throws -> Composed {
        if openAnchors.contains(name) {
            diagnostics.error(
                at: location,
                "the alias \(quoted(name)) is inside the value it names"
            )
            return Composed(node: ConfigNode(.null, at: location))
        }
        guard let anchor = anchors[name] else {
            diagnostics.error(
                at: location,
                "there is no anchor \(quoted(name)) above this alias",
                help: "a text that begins with '*' needs quotes: '*\(name)'"
            )
            return Composed(node: ConfigNode(.null, at: location))
        }
        try checkDepth(depth + anchor.height, at: location)
        aliasNodeCount += anchor.count
        guard aliasNodeCount <= limits.aliasNodes else {
            throw stop(
                location,
                "aliases make the file too large; expected at most \(limits.aliasNodes) values "
                    + "that come from aliases"
            )
        }
        return anchor
    }

    private mutating func checkDepth(_ depth: Int, at location: SourceLocation) throws {
        guard depth <= limits.depth else {
            throw stop(
                location.source.location(at: location.byteOffset, length: 1),
                "lists and mappings are nested too deeply; expected at most \(limits.depth) levels"
            )
        }
    }

    private mutating func stop(_ location: SourceLocation, _ message: String) -> Stop {
        diagnostics.error(at: location, message)
        return Stop()
    }
}
