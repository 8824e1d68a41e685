// SPDX-License-Identifier: MIT

public import TaplineConfig

/// Finds secrets by their form, wherever they occur.
///
/// Declared here so that `redact` can use detectors without linking their library. The product
/// `TaplineDetectors` provides them through `PluginRegistry.detectors`.
public protocol DetectorLibrary: Sendable {
    /// All detectors, in display order.
    var detectors: [DetectorDescription] { get }

    /// Prepares a choice of detectors; on failure, adds the reason to the diagnostics and returns
    /// `nil`.
    func build(_ choice: DetectorChoice, into diagnostics: inout Diagnostics) -> (any DetectorSet)?
}

/// The description of a detector.
public struct DetectorDescription: Sendable, Equatable {
    /// The name in the configuration and in reports.
    public let name: String
    /// The group of detectors that it belongs to, which may be named instead of it.
    public let group: String
    /// A short description of what it finds.
    public let summary: String
    /// Whether `standard` includes it.
    public let isStandard: Bool

    /// Creates a description.
    public init(name: String, group: String, summary: String, isStandard: Bool = true) {
        self.name = name
        self.group = group
        self.summary = summary
        self.isStandard = isStandard
    }
}

/// The detectors that a configuration asks for.
public struct DetectorChoice: Sendable {
    /// Whether the standard detectors are included.
    public var standard: Bool
    /// Further detectors, by their names or the names of their groups.
    public var names: [Located<String>]
    /// The user's own patterns.
    public var patterns: [SecretPattern]
    /// Known values that are not secrets; `*` matches any characters.
    public var allowed: [String]

    /// Creates a choice of detectors.
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

/// A user-defined pattern.
public struct SecretPattern: Sendable {
    /// The name of its findings.
    public let name: String
    /// The regular expression, in RE2's syntax.
    public let regex: Located<String>
    /// The capture group that is the secret; 0 is the whole match.
    public let group: Int

    /// Creates a pattern.
    public init(name: String, regex: Located<String>, group: Int = 0) {
        self.name = name
        self.regex = regex
        self.group = group
    }
}

/// Detectors that are ready to use, shared by all lanes.
public protocol DetectorSet: Sendable {
    /// The names of the kinds of findings.
    var kinds: [String] { get }

    /// Whether a NUL separates texts for these detectors; `false` by default.
    ///
    /// If it does, a text that stands between NULs among other texts gives the same findings as the
    /// text alone.
    var endsAtNUL: Bool { get }

    /// Creates the scanner of one lane.
    func makeScanner() throws -> any SecretScanner
}

extension DetectorSet {
    /// By default, each text is searched alone.
    public var endsAtNUL: Bool { false }
}

/// The detectors of one lane; one thread calls it at a time.
public protocol SecretScanner: AnyObject {
    /// Appends the findings in a text, in order and without overlaps.
    func scan(_ bytes: Span<UInt8>, into findings: inout [SecretFinding])
}

/// Receives each value that a stage removes from a record, so that it can be searched for
/// elsewhere.
///
/// A stage that is built with a listener still removes all that it would, and masks values that it
/// would delete.
///
/// **Isolation**: any thread. The values must never be shown or leave memory.
package protocol SecretListener: Sendable {
    /// Receives a removed value; the same value may be passed several times.
    ///
    /// - Parameters:
    ///   - secret: The value, without escapes; an object or an array as JSON text.
    ///   - action: The action that is applied to it, by its name in the configuration.
    func observe(_ secret: Span<UInt8>, action: String)
}

/// A secret found in a text.
@frozen
public struct SecretFinding: Sendable, Equatable {
    /// The offset of its start.
    public var start: Int
    /// The offset of its end.
    public var end: Int
    /// Its kind: an index into the set's `kinds`.
    public var kind: Int

    /// Creates a finding.
    public init(start: Int, end: Int, kind: Int) {
        self.start = start
        self.end = end
        self.kind = kind
    }
}
