// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplinePlugin
internal import TaplineSystem

/// Where a source keeps the positions of followed files.
enum CheckpointPlace: Sendable, Equatable {
    /// Nowhere: each run begins as set by `from`.
    case off
    case file(String)

    /// The path; `nil` if there is no checkpoint.
    var path: String? { if case .file(let path) = self { path } else { nil } }

    /// The files of the checkpoint, which are never followed.
    var files: [String] { path.map { [$0, FollowCheckpoint.lockPath(of: $0)] } ?? [] }

    /// The place if the configuration names none.
    ///
    /// A service has a folder for state, in which the id of the component names the file. Otherwise
    /// the checkpoint is beside the file, or in the folder of the first path if there are several.
    ///
    /// **Source**: systemd.exec(5), `STATE_DIRECTORY`: absolute paths, separated by colons.
    static func standard(for paths: [String], _ context: BuildContext) -> CheckpointPlace {
        let name = context.id.replacing("/", with: "_") + ".checkpoint"
        let states = (context.environment["STATE_DIRECTORY"] ?? "").split(separator: ":")
        if let state = states.first { return .file("\(state)/\(name)") }
        guard let first = paths.first else { return .off }
        let wildcard = first.utf8.firstIndex { "*?[".utf8.contains($0) }
        if paths.count == 1, wildcard == nil { return .file("\(first).checkpoint") }
        let folder = FileSystem.folder(of: String(first[..<(wildcard ?? first.endIndex)]))
        return .file("\(folder)/\(name)")
    }
}

extension OptionType where Value == CheckpointPlace {
    /// A path, or `false` for none.
    static var checkpointPlace: Self {
        let path = OptionType<String>.path
        return Self(
            name: "path or false",
            schema: ["anyOf": [path.schema, ["type": "boolean", "const": false]]],
            describe: { $0.path.map { path.describe($0) } ?? "false" }
        ) { node, context in
            switch node.value {
            case .scalar("false", isPlain: true): CheckpointPlace.off
            case .scalar("true", isPlain: true):
                context.mismatch(node, expected: "a path or false")
            default: path.decode(node, &context).map(CheckpointPlace.file)
            }
        }
    }
}
