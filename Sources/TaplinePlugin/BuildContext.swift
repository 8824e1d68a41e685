// SPDX-License-Identifier: MIT

public import TaplineConfig

/// What a plugin gets when a component is built, before anything runs.
///
/// Building compiles patterns, reads scripts and checks what can be checked. It opens no socket and
/// creates no file, so that `tapline check` can do all of it. Problems go to `diagnostics`, as many
/// as there are.
public struct BuildContext: Sendable {
    /// The id of the component.
    public let id: String
    /// The folder of the configuration file, where relative paths start.
    public let folder: String
    /// The environment that the configuration sees.
    public let environment: Environment
    /// Where the component stands in the configuration.
    public let location: SourceLocation?
    /// The secret detectors; nothing where the program is built without them.
    public let detectors: (any DetectorLibrary)?
    /// Who gets the values that stages take out; nobody, but in tests that are recorded.
    package var secretListener: (any SecretListener)?
    /// Key files of the pipeline and folders of keys, which no component may hand out.
    package var protectedPaths: [String] = []
    /// What is wrong so far.
    public var diagnostics: Diagnostics

    /// A context of these parts.
    public init(
        id: String,
        folder: String = ".",
        environment: Environment = Environment(),
        location: SourceLocation? = nil,
        detectors: (any DetectorLibrary)? = nil,
        diagnostics: Diagnostics = Diagnostics()
    ) {
        self.id = id
        self.folder = folder
        self.environment = environment
        self.location = location
        self.detectors = detectors
        self.diagnostics = diagnostics
    }
}
