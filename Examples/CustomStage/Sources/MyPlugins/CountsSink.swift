// SPDX-License-Identifier: MIT

import TaplineConfig
import TaplinePlugin
import TaplineSystem

extension SinkPlugin {
    /// The sink `counts`: a table of the number of responses by host and status.
    public static var counts: SinkPlugin {
        let path = ConfigKey(
            "path",
            .path,
            default: "-",
            summary: "The file to write at the end of the run; '-' is standard output.",
            example: "counts.txt"
        )
        return SinkPlugin(
            name: "counts",
            summary: "Counts exchanges by host and status, and writes a table at the end.",
            options: OptionSchema(path)
        ) { options, _ in
            Counts(path: options[path])
        }
    }
}

/// A configured `counts`, not yet open.
private struct Counts: SinkFactory {
    let path: String

    var claims: [ResourceClaim] { [path == "-" ? .standardOutput : .file(path)] }

    func open(_ context: SinkContext) throws -> any Sink {
        // Opening the file now reports a missing folder before the run instead of after it.
        Table(path == "-" ? .standardOutput : try File(path, for: .replace))
    }

    /// The table; one thread calls it, so it needs no lock.
    private final class Table: Sink {
        private struct Row: Hashable {
            let host: String
            let status: Int
        }

        private let file: File
        private var counts: [Row: Int] = [:]

        init(_ file: consuming File) { self.file = file }

        func write(_ batch: [Record]) throws -> WriteResult {
            for record in batch {
                let row = Row(
                    host: record.exchange.request.host.description,
                    status: record.exchange.response?.status ?? 0
                )
                counts[row, default: 0] += 1
            }
            return .written
        }

        func close() throws {
            let rows = counts.sorted {
                ($0.key.host, $0.key.status) < ($1.key.host, $1.key.status)
            }
            var text = "count\tstatus\thost\n"
            for (row, count) in rows {
                // Hosts come from traffic: replace control characters, which a terminal would obey.
                let host = row.host.unicodeScalars.map {
                    $0.properties.generalCategory == .control ? "?" : String($0)
                }
                text += "\(count)\t\(row.status)\t\(host.joined())\n"
            }
            try file.write(text.utf8.span)
        }
    }
}
