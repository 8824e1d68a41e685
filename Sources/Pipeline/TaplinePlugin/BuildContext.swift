// SPDX-License-Identifier: MIT

public import TaplineConfig
package import TaplineProtobuf
public import TaplineSystem

/// The input of a plugin that builds a component, before anything runs.
///
/// Building compiles patterns, reads scripts and validates all that can be checked in advance. It
/// opens no socket and creates no file, so `tapline check` can run all of it. Every problem is
/// added to `diagnostics`.
public struct BuildContext: Sendable {
    /// The id of the component.
    public let id: String
    /// The folder of the configuration file, which relative paths are resolved against.
    public let folder: String
    /// The environment that is visible to the configuration.
    public let environment: Environment
    /// The location of the component in the configuration.
    public let location: SourceLocation?
    /// The secret detectors; `nil` if the program is built without them.
    public let detectors: (any DetectorLibrary)?
    /// Whether another program runs the pipeline, an app, which may lack plugins of this one.
    package var isForOtherProgram = false
    /// Whether the clients of a proxy run in the namespace of `tapline exec --all`.
    package var hasNamespace = false
    /// Receives the values that stages remove; `nil` except in recorded tests.
    package var secretListener: (any SecretListener)?
    /// Reads databases of recorded exchanges; `nil` if the program is built without them.
    package var stores: (any RecordedStores)?
    /// The types of protobuf messages if the options name no descriptors.
    package var protobufTypes: ProtobufSchema?
    /// Key files of the pipeline, folders of keys, and what queues keep, which no component may
    /// expose.
    package var protectedPaths: [String] = []
    /// The problems found so far.
    public var diagnostics: Diagnostics

    /// Creates a context.
    package init(
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

    /// Loads a library that the component needs; adds an error and returns `false` if that fails.
    @discardableResult
    package mutating func load(_ library: SharedLibrary) -> Bool {
        do throws(LibraryError) {
            try library.load()
            return true
        } catch {
            diagnostics.error(at: location, "'\(id)' \(error)", help: error.help)
            return false
        }
    }
}
