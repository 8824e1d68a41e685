// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplineOperations
public import TaplinePlugin

extension SinkPlugin {
    /// The sink `sqlite`: one database with one row per exchange.
    public static var sqlite: SinkPlugin {
        SinkPlugin(
            name: "sqlite",
            summary: "Stores exchanges in a SQLite database, to be queried with any SQLite tool.",
            options: SQLiteSinkOptions.schema
        ) { options, context in
            guard options[SQLiteSinkOptions.path] != "-" else {
                context.diagnostics.error(
                    at: options.location(of: SQLiteSinkOptions.path),
                    "'sqlite' cannot write to a stream; found '-', expected a file path",
                    help: "give the database a name, such as traffic.db"
                )
                return nil
            }
            return SQLiteSinkFactory(settings: SQLiteSinkSettings(options))
        }
    }
}

/// The configured sink `sqlite`.
struct SQLiteSinkFactory: StoreSinkFactory {
    let settings: SQLiteSinkSettings

    var storePath: String { settings.path }
    var claims: [ResourceClaim] { [.file(settings.path)] }
    var needsDigests: Bool { true }
    var wantsActive: Bool { true }
    /// Large transactions cost less per row: a page that many rows change is written once.
    var batchLimit: Int { 4096 }

    func open(_ context: SinkContext) throws -> any Sink {
        try SQLiteSink(settings: settings, context: context)
    }
}
