// SPDX-License-Identifier: MIT

internal import Synchronization
internal import TaplineConfig
internal import TaplineOperations
public import TaplinePlugin
internal import TaplineProcessPlugin

extension StagePlugin {
    /// The stage `process`: another program decides about records or live traffic.
    public static var process: StagePlugin {
        StagePlugin(
            name: "process",
            summary: "Lets a program in any language decide about records or live traffic.",
            options: ProcessStageOptions.schema,
            hasWireHooks: true,
            build: ProcessStageOptions.build
        )
    }
}

/// What the program decides about.
enum ProcessStageMode: Sendable, Equatable {
    case record
    case wire
}

/// The options of the stage `process`.
enum ProcessStageOptions {
    static let mode = ConfigKey(
        "mode",
        .choice([("record", ProcessStageMode.record), ("wire", .wire)]),
        default: .record,
        summary: "`record`: it decides about redacted records. `wire`: it decides about live "
            + "requests and responses before they are redacted."
    )
    static let seesSecrets = ConfigKey(
        "sees_secrets",
        .bool,
        default: false,
        summary: "Permits `mode: wire`, in which the program sees live traffic with its secrets."
    )

    static let schema = ProcessKeys.schema(mode, seesSecrets)

    static func build(
        _ options: Options,
        _ context: inout BuildContext
    ) -> (any StageFactory)? {
        guard let settings = ProcessKeys.read(options, &context) else { return nil }
        if options[mode] == .wire, !options[seesSecrets] {
            context.diagnostics.error(
                at: options.location(of: mode),
                "with 'mode: wire', the program sees live traffic before it is redacted",
                help: "add 'sees_secrets: true' if it may"
            )
            return nil
        }
        return ProcessStageFactory(mode: options[mode], settings: settings)
    }
}

/// A configured stage `process`; its instances share one child.
final class ProcessStageFactory: StageFactory, ConfiguredByFiles, ProgramComponent {
    private let mode: ProcessStageMode
    private let settings: ProcessSettings
    private let shared = Mutex<ProcessConnection?>(nil)

    init(mode: ProcessStageMode, settings: ProcessSettings) {
        self.mode = mode
        self.settings = settings
    }

    var configurationFiles: [String] { settings.files }
    var program: ComponentProgram? { settings.program.current }
    var hooks: Hooks { mode == .record ? .record : [.request, .response] }
    var seesOnlyRedacted: Bool { mode == .record }

    func makeStage(_ context: StageContext) throws -> any Stage {
        let connection = try shared.withLock { shared in
            if let shared { return shared }
            let role = mode == .record ? ProcessRole.stage : .wire
            let made = try ProcessConnection(role, id: context.id, settings, log: context.log)
            shared = made
            return made
        }
        return mode == .record
            ? ProcessRecordStage(connection, context)
            : ProcessWireStage(connection, context)
    }
}
