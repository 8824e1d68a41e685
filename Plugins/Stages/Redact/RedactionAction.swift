// SPDX-License-Identifier: MIT

/// What becomes of a value that a rule names.
enum RedactionAction: UInt8, Sendable, Equatable {
    /// A fixed text takes its place, so that not even its length is told.
    case mask
    /// It goes, with its name.
    case remove
    /// A keyed hash takes its place: equal values stay equal.
    case hash
    /// A stand-in of its form takes its place: equal values stay equal, and what reads them works.
    case pseudonym

    /// Whether what takes the value's place is made from the value.
    var readsValue: Bool { self == .hash || self == .pseudonym }

    /// Its word in the configuration.
    var name: String {
        switch self {
        case .mask: "mask"
        case .remove: "remove"
        case .hash: "hash"
        case .pseudonym: "pseudonym"
        }
    }
}

/// How a replacement is written where it goes.
enum Notation: UInt8, Sendable {
    /// As it is.
    case plain
    /// Percent-encoded, as in URLs and forms.
    case url
    /// As a string of JSON.
    case json
    /// Within a string of JSON.
    case jsonPart
}
