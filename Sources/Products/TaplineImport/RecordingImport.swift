// SPDX-License-Identifier: MIT

internal import TaplineFormats

/// Reads HAR and NDJSON, as `RecordingReader` does.
final class RecordingImport: ImportParser {
    private var reader: RecordingReader
    private var hasEnded = false

    init(_ options: ImportOptions) {
        reader = RecordingReader(
            file: options.file,
            maxRecordBytes: options.maxRecordBytes,
            countsUnknown: true
        )
    }

    func append(_ chunk: Span<UInt8>, to items: inout ImportedItems) throws(RecordError) {
        do {
            try reader.read(chunk) { Self.add($0, to: &items) }
        } catch {
            reportLosses(to: &items)
            throw Self.recordError(error)
        }
    }

    func finish(to items: inout ImportedItems) throws(RecordError) -> Bool {
        defer { reportLosses(to: &items) }
        do {
            try reader.finish { Self.add($0, to: &items) }
            return false
        } catch {
            throw Self.recordError(error)
        }
    }

    private func reportLosses(to items: inout ImportedItems) {
        guard !hasEnded else { return }
        hasEnded = true
        items.lose(reader.losses)
    }

    private static func add(_ element: RecordingReader.Element, to items: inout ImportedItems) {
        switch element {
        case .success(let exchange):
            items.add(exchange, from: Span())
        case .failure(let error):
            if error.code == .cutOff {
                items.add(error, "records (cut off)")
            } else {
                items.add(error, "records (malformed)")
            }
        }
    }

    /// Readers throw only this error; closures that are passed to them throw nothing.
    private static func recordError(_ error: any Error) -> RecordError {
        (error as? RecordError) ?? .shape("the rest of the recording cannot be read", at: 0)
    }
}
