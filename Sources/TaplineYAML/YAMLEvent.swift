// SPDX-License-Identifier: MIT

/// One step of a YAML text: a scalar, an alias, or the start or end of something.
public struct YAMLEvent: Sendable {
    /// How a scalar is written.
    public enum ScalarStyle: Sendable, Hashable {
        case plain, singleQuoted, doubleQuoted, literal, folded
    }

    /// The kinds of event that YAML's event stream has (YAML 1.2 §3.1).
    public enum Kind: Sendable, Hashable {
        case streamStart, streamEnd
        case documentStart(isImplicit: Bool), documentEnd
        case alias(String)
        case scalar(String, ScalarStyle)
        case sequenceStart(isFlow: Bool), sequenceEnd
        case mappingStart(isFlow: Bool), mappingEnd
    }

    /// What happens here.
    public var kind: Kind
    /// The anchor in front of the node, without its `&`.
    public var anchor: String?
    /// The tag in front of the node, resolved: `!x` or `tag:yaml.org,2002:str`.
    public var tag: String?
    /// Where the node begins, its anchor and tag included.
    public var start: YAMLMark
    /// Where it ends.
    public var end: YAMLMark
}
