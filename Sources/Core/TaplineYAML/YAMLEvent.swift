// SPDX-License-Identifier: MIT

/// A parsing event of a YAML text: a scalar, an alias, or the start or end of a construct.
package struct YAMLEvent: Sendable {
    /// The style of a scalar.
    package enum ScalarStyle: Sendable, Hashable {
        case plain, singleQuoted, doubleQuoted, literal, folded
    }

    /// The kinds of parsing events (YAML 1.2 §3.1).
    package enum Kind: Sendable, Hashable {
        case streamStart, streamEnd
        case documentStart(isImplicit: Bool), documentEnd
        case alias(String)
        case scalar(String, ScalarStyle)
        case sequenceStart(isFlow: Bool), sequenceEnd
        case mappingStart(isFlow: Bool), mappingEnd
    }

    /// The kind of the event.
    package var kind: Kind
    /// The anchor in front of the node, without its `&`.
    package var anchor: String?
    /// The tag in front of the node, resolved: `!x` or `tag:yaml.org,2002:str`.
    package var tag: String?
    /// The start of the node, including its anchor and tag.
    package var start: YAMLMark
    /// The end of the node.
    package var end: YAMLMark
}
