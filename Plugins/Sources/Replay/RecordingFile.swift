// SPDX-License-Identifier: MIT

internal import TaplineFormats
internal import TaplineSystem

/// A recording that is being read.
struct RecordingFile: ~Copyable {
    /// How many bytes are read at a time.
    private static let readSize = 256 << 10
    /// How many bytes are split at a time: fewer if compressed bytes expand a lot.
    private static let steps = (least: 256, first: 1024, most: 32 << 10)
    /// The size of a chunk in bytes of records.
    private static let chunkSize = 256 << 10
    /// How long to wait for a pipe before checking whether the run has ended, in milliseconds.
    private static let pollInterval = 100

    private let file: File
    private let recording: RecordingList.Recording
    private let control: ReplayControl
    private var splitter: RecordingSplitter
    private var buffer: [UInt8]
    private var filled = 0
    private var position = 0
    private var stepSize = RecordingFile.steps.first
    private var isAtEnd = false
    private var isFinished = false
    private var failure: (any Error)?
    /// How many bytes have been read.
    private(set) var byteCount: Int64 = 0

    init(
        _ recording: RecordingList.Recording,
        maxRecordBytes: Int,
        maxExtraBytes: Int,
        control: ReplayControl
    ) throws(FileError) {
        self.recording = recording
        self.control = control
        file =
            recording.isStandardInput
            ? File.standardInput : try File(recording.path, for: .readWithoutWaiting)
        splitter = RecordingSplitter(
            file: recording.name,
            maxRecordBytes: maxRecordBytes,
            maxExtraBytes: maxExtraBytes
        )
        buffer = [UInt8](repeating: 0, count: Self.readSize)
    }

    /// Appends the next records; appends none at the end, or when the run has ended.
    ///
    /// **Throws**: `FileError` or `ReplayError`; `RecordError` if the rest cannot be read. Records
    /// before the error are returned first.
    mutating func read(_ records: inout RawRecords) throws {
        if let failure { throw failure }
        do {
            try gather(&records)
        } catch {
            guard !records.isEmpty else { throw error }
            failure = error
        }
    }

    private mutating func gather(_ records: inout RawRecords) throws {
        while !isFinished, records.byteCount < Self.chunkSize {
            if position == filled {
                // Data from a pipe is passed on before more is awaited.
                if recording.size == nil, !records.isEmpty { return }
                try fill()
                if control.isStopped { return }
            }
            if isAtEnd {
                isFinished = true
                try splitter.finish(to: &records)
            } else {
                try cut(&records)
            }
        }
    }

    /// Splits the next step of the bytes that have been read.
    private mutating func cut(_ records: inout RawRecords) throws(RecordError) {
        let step = position..<min(position + stepSize, filled)
        position = step.upperBound
        let before = records.byteCount
        defer { adaptStep(to: records.byteCount - before) }
        // Moved out while it is read, so that it is not copied.
        let bytes = exchange(&buffer, with: [])
        defer { buffer = bytes }
        try splitter.append(bytes.span.extracting(step), to: &records)
    }

    /// Chooses the size of the next step by the growth in the last one.
    private mutating func adaptStep(to grown: Int) {
        if grown > Self.chunkSize {
            stepSize = max(stepSize / 8, Self.steps.least)
        } else if grown < Self.chunkSize / 4 {
            stepSize = min(stepSize * 2, Self.steps.most)
        }
    }

    /// Reads the next bytes, up to the file's size at the start of the run.
    private mutating func fill() throws {
        filled = 0
        position = 0
        var wanted = Int64.max
        if let size = recording.size {
            wanted = size - byteCount
            guard wanted > 0 else {
                isAtEnd = true
                return
            }
        } else {
            while try !file.waitForInput(milliseconds: Self.pollInterval) {
                if control.isEnding { return }
            }
        }
        filled = Int(clamping: min(Int64(try readOnce()), wanted))
        byteCount += Int64(filled)
        guard filled == 0 else { return }
        isAtEnd = true
        if let size = recording.size {
            throw ReplayError(
                "'\(recording.name)' was truncated while it was read; "
                    + "found \(byteCount) bytes, expected \(size)"
            )
        }
    }

    private mutating func readOnce() throws(FileError) -> Int {
        var bytes = exchange(&buffer, with: [])
        defer { buffer = bytes }
        var space = bytes.mutableSpan
        return try file.read(into: &space)
    }

    /// How many bytes the file has grown since the run began.
    func growth() throws(FileError) -> Int64 {
        guard let size = recording.size else { return 0 }
        return Int64(try file.status().size) - size
    }
}

/// Why a replay cannot continue, other than because of the content of a recording.
struct ReplayError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
