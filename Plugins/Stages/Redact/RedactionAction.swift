// SPDX-License-Identifier: MIT

/// What to do with a value that a rule names.
enum RedactionAction: UInt8, Sendable, Equatable {
    /// Replaces it with a fixed text, so that not even its length is revealed.
    case mask
    /// Removes it together with its name.
    case remove
    /// Replaces it with a keyed hash: equal values stay equal.
    case hash
    /// Replaces it with a stand-in of the same form: equal values stay equal, and readers still
    /// accept them.
    case pseudonym

    /// Whether the replacement is derived from the value.
    var readsValue: Bool { self == .hash || self == .pseudonym }

    /// Its name in the configuration.
    var name: String {
        switch self {
        case .mask: "mask"
        case .remove: "remove"
        case .hash: "hash"
        case .pseudonym: "pseudonym"
        }
    }
}

/// How a replacement is written.
enum Notation: UInt8, Sendable {
    /// Unchanged.
    case plain
    /// Percent-encoded, as in URLs and forms.
    case url
    /// As a JSON string.
    case json
    /// Within a JSON string.
    case jsonPart
}
