// SPDX-License-Identifier: MIT

package import TaplineFormats
internal import TaplineModel
package import TaplinePlugin

/// Writes records as a HAR file.
package final class HARExportWriter: ExportWriter {
    private var writer = HARWriter()

    /// Creates a writer.
    package init() {}

    package func start(to output: inout [UInt8]) -> LossReport {
        writer.begin(version: ProgramVersion.text)
        return LossReport()
    }

    package func write(_ record: Record, to output: inout [UInt8]) -> LossReport {
        writer.write(record)
        drain(to: &output)
        return LossReport()
    }

    /// The losses of all records are known at the end.
    package func finish(to output: inout [UInt8]) -> LossReport {
        writer.end()
        drain(to: &output)
        return writer.losses
    }

    private func drain(to output: inout [UInt8]) {
        output.append(copying: writer.bytes)
        writer.removeAll()
    }
}

/// Writes records as NDJSON, which loses nothing.
package final class NDJSONExportWriter: ExportWriter {
    private var writer = NDJSONWriter()

    /// Creates a writer.
    package init() {}

    package func write(_ record: Record, to output: inout [UInt8]) -> LossReport {
        writer.write(record)
        output.append(copying: writer.bytes)
        writer.removeAll()
        return LossReport()
    }
}
