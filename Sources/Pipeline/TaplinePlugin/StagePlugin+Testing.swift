// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplineSystem

extension StagePlugin {
    /// Creates a stage from its options as YAML, without a pipeline, for fuzzers and benchmarks.
    ///
    /// - Parameters:
    ///   - yaml: The options, as written after the plugin's name.
    ///   - variables: The environment of the stage.
    ///   - detectors: The detectors that it may use.
    /// - Returns: The stage of one lane; `nil` if the options are invalid.
    /// - Throws: The error of the stage's creation.
    package func stage(
        _ yaml: String,
        environment variables: [String: String] = [:],
        detectors: (any DetectorLibrary)? = nil
    ) throws -> (any Stage)? {
        var diagnostics = Diagnostics()
        let environment = Environment(variables)
        let root = ConfigReader().read(Array(yaml.utf8), name: "options.yaml", into: &diagnostics)
        let options = root.flatMap {
            description.options.decode(
                $0,
                owner: description.name,
                into: &diagnostics,
                environment: environment
            )
        }
        var context = BuildContext(
            id: description.name,
            environment: environment,
            detectors: detectors
        )
        guard let options else { return nil }
        return try build(options, &context)?.makeStage(StageContext(id: description.name))
    }
}
