// SPDX-License-Identifier: MIT

internal import TaplineYAML

/// Builds the tree from libyaml's events: limits, aliases, tags, merge keys, duplicate keys.
struct NodeComposer {
    let source: ConfigSource
    let limits: YAMLLimits
    private let text: [UInt8]
    let positions: ScalarPositions
    var diagnostics = Diagnostics()

    private var anchors: [String: Anchor] = [:]
    private var openAnchors: Set<String> = []
    private var nodeCount = 0
    private var aliasNodeCount = 0

    /// What an anchor stands for, and how many nodes that is.
    private struct Anchor {
        var node: ConfigNode
        var count: Int
    }

    /// A reason to read no further; its message is in the diagnostics already.
    struct Stop: Error {}

    /// Prepares to read a text, which has the positions of the source but may have parts blanked.
    init(source: ConfigSource, text: [UInt8]? = nil, limits: YAMLLimits) {
        self.source = source
        self.limits = limits
        self.text = text ?? source.bytes
        self.positions = ScalarPositions(self.text)
    }

    /// The tree of the first document; nil when there is none or it cannot be read.
    mutating func compose() -> ConfigNode? {
        do {
            let parser = try YAMLParser(Array(positions.text(of: text)))
            return try document(parser)
        } catch let error as YAMLError {
            diagnostics.append(
                SyntaxMessage(error, source: source, positions: positions).diagnostic
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
                        at: location(event.start, event.end),
                        "there is a second document; expected one in each file",
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

    /// The node that begins with an event, and how many nodes it has.
    private mutating func node(
        _ event: YAMLEvent,
        _ parser: YAMLParser,
        depth: Int
    ) throws -> (node: ConfigNode, count: Int) {
        nodeCount += 1
        let start = location(event.start, event.end)
        guard nodeCount <= limits.nodes else {
            throw stop(start, "the file has too many values; expected at most \(limits.nodes)")
        }
        if case .alias(let name) = event.kind {
            return try alias(name, at: start)
        }
        if let anchor = event.anchor {
            openAnchors.insert(anchor)
        }
        var result: (node: ConfigNode, count: Int)
        switch event.kind {
        case .scalar(let text, let style):
            result = (scalar(text, style, event, at: start), 1)
        case .sequenceStart:
            try checkDepth(depth, at: start)
            result = try sequence(event, parser, depth: depth)
        case .mappingStart:
            try checkDepth(depth, at: start)
            result = try mapping(event, parser, depth: depth)
        default:
            throw Stop()
        }
        if let anchor = event.anchor {
            openAnchors.remove(anchor)
            anchors[anchor] = Anchor(node: result.node, count: result.count)
        }
        return result
    }

    private mutating func sequence(
        _ start: YAMLEvent,
        _ parser: YAMLParser,
        depth: Int
    ) throws -> (node: ConfigNode, count: Int) {
        var elements: [ConfigNode] = []
        var count = 1
        var end = start.end
        while let event = try parser.next() {
            if event.kind == .sequenceEnd {
                end = event.end
                break
            }
            let element = try node(event, parser, depth: depth + 1)
            elements.append(element.node)
            count += element.count
        }
        checkTag(start, allowed: "seq")
        return (ConfigNode(.sequence(elements), at: location(start.start, end)), count)
    }

    private mutating func mapping(
        _ start: YAMLEvent,
        _ parser: YAMLParser,
        depth: Int
    ) throws -> (node: ConfigNode, count: Int) {
        var mapping = MappingBuilder()
        var count = 1
        var end = start.end
        while let event = try parser.next() {
            if event.kind == .mappingEnd {
                end = event.end
                break
            }
            let isMerge = event.kind == .scalar("<<", .plain) && event.tag == nil
            let key = try node(event, parser, depth: depth + 1)
            guard let next = try parser.next() else { break }
            let value = try node(next, parser, depth: depth + 1)
            count += key.count + value.count
            if isMerge {
                let merged = mapping.merge(value.node, into: &diagnostics)
                try addAliasNodes(merged, at: key.node.location)
                count += merged
            } else {
                mapping.add(key: key.node, value: value.node, into: &diagnostics)
            }
        }
        checkTag(start, allowed: "map")
        return (ConfigNode(.mapping(mapping.pairs), at: location(start.start, end)), count)
    }

    private mutating func alias(
        _ name: String,
        at location: SourceLocation
    ) throws -> (node: ConfigNode, count: Int) {
        guard let anchor = anchors[name], !openAnchors.contains(name) else {
            if openAnchors.contains(name) {
                diagnostics.error(
                    at: location,
                    "the alias \(quoted(name)) stands inside the value it names"
                )
            } else {
                diagnostics.error(
                    at: location,
                    "there is no anchor \(quoted(name)) above this alias",
                    help: "a text that begins with '*' needs quotes: '*\(name)'"
                )
            }
            return (ConfigNode(.null, at: location), 1)
        }
        try addAliasNodes(anchor.count, at: location)
        return (anchor.node, anchor.count)
    }

    private mutating func addAliasNodes(_ count: Int, at location: SourceLocation) throws {
        let (sum, overflow) = aliasNodeCount.addingReportingOverflow(count)
        guard !overflow, sum <= limits.aliasNodes else {
            throw stop(
                location,
                "aliases make the file too large; expected at most \(limits.aliasNodes) values "
                    + "that come from aliases"
            )
        }
        aliasNodeCount = sum
    }

    private mutating func checkDepth(_ depth: Int, at location: SourceLocation) throws {
        guard depth < limits.depth else {
            throw stop(
                location,
                "lists and mappings are nested too deeply; expected at most "
                    + "\(limits.depth) levels"
            )
        }
    }

    private mutating func stop(_ location: SourceLocation, _ message: String) -> Stop {
        diagnostics.error(at: location, message)
        return Stop()
    }

    func location(_ start: YAMLMark, _ end: YAMLMark) -> SourceLocation {
        let first = positions.byteOffset(ofScalar: start.index)
        let last = positions.byteOffset(ofScalar: end.index)
        return source.location(at: first, length: max(last - first, 0))
    }
}
