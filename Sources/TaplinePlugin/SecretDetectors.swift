// SPDX-License-Identifier: MIT

public import TaplineConfig

/// Finds secrets by their form, wherever they stand.
///
/// Declared here so that `redact` can use detectors without linking the library that they rest on;
/// the product `TaplineDetectors` brings them, through `PluginRegistry.detectors`.
public protocol DetectorLibrary: Sendable {
    /// All detectors, in the order in which they are shown.
    var detectors: [DetectorDescription] { get }

    /// Prepares a choice of detectors, or says in the diagnostics why that is not possible.
    func build(_ choice: DetectorChoice, into diagnostics: inout Diagnostics) -> (any DetectorSet)?
}

/// What is said of a detector.
public struct DetectorDescription: Sendable, Equatable {
    /// The word in the configuration and in reports.
    public let name: String
    /// The kind of secret that it belongs to, which may be named in its place.
    public let group: String
    /// What it finds, in a few words.
    public let summary: String
    /// Whether it is one of those that `standard` stands for.
    public let isStandard: Bool

    /// A description of these parts.
    public init(name: String, group: String, summary: String, isStandard: Bool = true) {
        self.name = name
        self.group = group
        self.summary = summary
        self.isStandard = isStandard
    }
}

/// The detectors that a configuration asks for.
public struct DetectorChoice: Sendable {
    /// Whether those that everybody needs are among them.
    public var standard: Bool
    /// Others by their names, or by the names of their groups.
    public var names: [Located<String>]
    /// Patterns of the user's own.
    public var patterns: [SecretPattern]
    /// Known values that are no secrets; `*` stands for any characters.
    public var allowed: [String]

    /// A choice of these.
    public init(
        standard: Bool = false,
        names: [Located<String>] = [],
        patterns: [SecretPattern] = [],
        allowed: [String] = []
    ) {
        self.standard = standard
        self.names = names
        self.patterns = patterns
        self.allowed = allowed
    }
}

/// A pattern of the user's own.
public struct SecretPattern: Sendable {
    /// What its findings are called.
    public let name: String
    /// The regular expression, in RE2's syntax.
    public let regex: Located<String>
    /// The group of the expression that is the secret; 0 is all of the match.
    public let group: Int

    /// A pattern of these parts.
    public init(name: String, regex: Located<String>, group: Int = 0) {
        self.name = name
        self.regex = regex
        self.group = group
    }
}

/// Detectors that are ready to use, shared by all lanes.
public protocol DetectorSet: Sendable {
    /// The names of what it finds.
    var kinds: [String] { get }

    /// Whether a NUL is to it what the end of a text is: what it finds in a text it finds as well
    /// where that stands between NULs among others. False where nothing else is said.
    var endsAtNUL: Bool { get }

    /// Makes the scanner of one lane.
    func makeScanner() throws -> any SecretScanner
}

extension DetectorSet {
    /// Nothing is said, so each text is searched alone.
    public var endsAtNUL: Bool { false }
}

/// The detectors of one lane; one thread calls it at a time.
public protocol SecretScanner: AnyObject {
    /// Appends what is found in a text, in order, no two overlapping.
    func scan(_ bytes: Span<UInt8>, into findings: inout [SecretFinding])
}

/// Gets each value that a stage takes out of what is kept, so that it can be looked for elsewhere.
///
/// A stage that is built with one takes out all that it would, and masks what it would remove.
///
/// **Isolation**: any thread. What it gets must never be shown, nor leave memory.
package protocol SecretListener: Sendable {
    /// A value is taken out; the same may come several times.
    ///
    /// - Parameters:
    ///   - secret: The value, its escapes undone; an object or an array as JSON writes it.
    ///   - action: What becomes of it, by the word of the configuration.
    func hear(_ secret: Span<UInt8>, action: String)
}

/// A secret that was found in a text.
@frozen
public struct SecretFinding: Sendable, Equatable {
    /// Where it begins.
    public var start: Int
    /// Where it ends.
    public var end: Int
    /// Its kind: an index into the set's `kinds`.
    public var kind: Int

    /// A finding of these parts.
    public init(start: Int, end: Int, kind: Int) {
        self.start = start
        self.end = end
        self.kind = kind
    }
}
