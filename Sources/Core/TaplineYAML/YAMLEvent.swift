// SPDX-License-Identifier: MIT

/// A parsing event of a YAML text: a scalar, an alias, or the start or end of a construct.
public struct YAMLEvent: Sendable {
    /// The style of a scalar.
    public enum ScalarStyle: Sendable, Hashable {
        case plain, singleQuoted, doubleQuoted, literal, folded
    }

    /// The kinds of parsing events (YAML 1.2 §3.1).
    public enum Kind: Sendable, Hashable {
        case streamStart, streamEnd
        case documentStart(isImplicit: Bool), documentEnd
        case alias(String)
        case scalar(String, ScalarStyle)
        case sequenceStart(isFlow: Bool), sequenceEnd
        case mappingStart(isFlow: Bool), mappingEnd
    }

    /// The kind of the event.
    public var kind: Kind
    /// The anchor in front of the node, without its `&`.
    public var anchor: String?
    /// The tag in front of the node, resolved: `!x` or `tag:yaml.org,2002:str`.
    public var tag: String?
    /// The start of the node, including its anchor and tag.
    public var start: YAMLMark
    /// The end of the node.
    public var end: YAMLMark
}
