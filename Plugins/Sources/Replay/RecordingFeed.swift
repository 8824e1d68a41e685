// SPDX-License-Identifier: MIT

internal import TaplineFormats
internal import TaplinePlugin
internal import TaplineSystem

/// Reads all recordings of a run in chunks, pass after pass.
struct RecordingFeed: ~Copyable {
    private let list: RecordingList
    private let settings: ReplaySettings
    private let control: ReplayControl
    private let intake: any Intake
    private let broken: BrokenRecords

    private var file: RecordingFile?
    /// The databases that are being read.
    private var databases: OrderedDatabases?
    /// Those of every recording, by its index, for further passes.
    private var sorted: [Int: any RecordedKeys] = [:]
    /// The index of the current or next recording.
    private var index = 0
    private var pass = 0
    private var number: UInt64 = 0
    /// The position of the next record in its recording.
    private var first = 0
    private var left: Int
    private var recordsOfPass = 0
    /// The size of the recordings that have been read.
    private var bytesBefore: Int64 = 0

    init(
        _ list: RecordingList,
        _ settings: ReplaySettings,
        _ intake: any Intake,
        _ control: ReplayControl,
        _ broken: BrokenRecords
    ) {
        self.list = list
        self.settings = settings
        self.intake = intake
        self.control = control
        self.broken = broken
        left = settings.limit ?? .max
    }

    /// The number of the next chunk.
    var nextNumber: UInt64 { number }

    /// Reads the next chunk; returns `nil` at the end, or when the run has ended.
    mutating func next(_ spare: (String) -> RawRecords?) -> Chunk? {
        while left > 0, !control.isOver(number), openNext() {
            do {
                let content = try databases == nil ? readFile(spare) : readDatabases()
                reportProgress()
                if let (content, count) = content { return chunk(of: content, count) }
                endRecording(because: nil)
            } catch {
                endRecording(because: error)
            }
        }
        return nil
    }

    /// Reads records of the file; `nil` at its end.
    private mutating func readFile(
        _ spare: (String) -> RawRecords?
    ) throws -> (Chunk.Content, count: Int)? {
        let name = list.recordings[index].name
        var records = spare(name) ?? RawRecords(file: name)
        try file?.read(&records)
        return records.isEmpty ? nil : (.records(records), records.count)
    }

    /// Reads keys of the databases; `nil` at their end.
    private mutating func readDatabases() throws -> (Chunk.Content, count: Int)? {
        guard let keys = try databases?.read(), !keys.isEmpty else { return nil }
        return (.keys(keys, of: list.recordings[index].stores), keys.count)
    }

    private mutating func chunk(of content: Chunk.Content, _ size: Int) -> Chunk {
        let count = min(size, left)
        let chunk = Chunk(
            content: content,
            count: count,
            number: number,
            first: first,
            pass: pass
        )
        number += 1
        left -= count
        first += count
        recordsOfPass += count
        return chunk
    }

    /// Opens the next recording if none is open; returns whether there is one.
    private mutating func openNext() -> Bool {
        while file == nil, databases == nil {
            if index == list.recordings.count {
                // Recordings without records would be read in an endless loop.
                guard recordsOfPass > 0, settings.loop.goesOn(after: pass) else { return false }
                pass += 1
                index = 0
                recordsOfPass = 0
            }
            first = 0
            do {
                try open(list.recordings[index])
            } catch {
                control.fail(error, in: number)
                return false
            }
        }
        return true
    }

    private mutating func open(_ recording: RecordingList.Recording) throws {
        guard !recording.stores.isEmpty else {
            file = try RecordingFile(
                recording,
                maxRecordBytes: settings.maxRecordBytes,
                maxExtraBytes: settings.maxExtraBytes,
                control: control
            )
            return
        }
        let control = control
        let keys =
            try sorted[index]
            ?? settings.stores?.keys(of: recording.stores, while: { !control.isEnding })
        guard let keys else { throw ReplayError("'\(recording.name)' is a database") }
        sorted[index] = keys
        keys.rewind()
        databases = OrderedDatabases(keys: keys, size: recording.size ?? 0)
    }

    private mutating func endRecording(because error: (any Error)?) {
        switch error {
        case nil: reportGrowth()
        case let error as RecordError:
            if !broken.mayGoOn(after: error) { control.fail(error, in: number) }
        case let error?:
            control.fail(error, in: number)
        }
        bytesBefore += file?.byteCount ?? databases?.byteCount ?? 0
        file = nil
        databases = nil
        index += 1
    }

    /// Warns if the recording has grown.
    private func reportGrowth() {
        if let growth = try? file?.growth(), growth > 0 {
            intake.log.warning(
                "'\(list.recordings[index].name)' grew by \(growth) bytes while it was read; "
                    + "these were not read"
            )
        }
        for (store, count) in (try? databases?.keys.growth()) ?? [] {
            intake.log.warning(
                "'\(store.path)' grew by \(count) exchanges while it was read; these were not read"
            )
        }
    }

    private mutating func reportProgress() {
        let (whole, overflow) = (list.size ?? 0).multipliedReportingOverflow(
            by: Int64(settings.loop.count ?? 0)
        )
        intake.progress(
            done: bytesBefore + (file?.byteCount ?? databases?.byteCount ?? 0),
            of: overflow || whole == 0 ? nil : whole
        )
    }
}
