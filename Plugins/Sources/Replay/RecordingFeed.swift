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
            let name = list.recordings[index].name
            var records = spare(name) ?? RawRecords(file: name)
            do {
                try file?.read(&records)
            } catch {
                endFile(because: error)
                continue
            }
            reportProgress()
            guard !records.isEmpty else {
                endFile(because: nil)
                continue
            }
            return chunk(of: records)
        }
        return nil
    }

    private mutating func chunk(of records: consuming RawRecords) -> Chunk {
        let count = min(records.count, left)
        let chunk = Chunk(
            records: records,
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
        while file == nil {
            if index == list.recordings.count {
                // Recordings without records would be read in an endless loop.
                guard recordsOfPass > 0, settings.loop.goesOn(after: pass) else { return false }
                pass += 1
                index = 0
                recordsOfPass = 0
            }
            first = 0
            do throws(FileError) {
                file = try RecordingFile(
                    list.recordings[index],
                    maxRecordBytes: settings.maxRecordBytes,
                    maxExtraBytes: settings.maxExtraBytes,
                    control: control
                )
            } catch {
                control.fail(error, in: number)
                return false
            }
        }
        return true
    }

    private mutating func endFile(because error: (any Error)?) {
        switch error {
        case nil:
            if let growth = try? file?.growth(), growth > 0 {
                intake.log.warning(
                    "'\(list.recordings[index].name)' grew by \(growth) bytes while it was read; "
                        + "these were not read"
                )
            }
        case let error as RecordError:
            if !broken.mayGoOn(after: error) { control.fail(error, in: number) }
        case let error?:
            control.fail(error, in: number)
        }
        bytesBefore += file?.byteCount ?? 0
        file = nil
        index += 1
    }

    private mutating func reportProgress() {
        let (whole, overflow) = (list.size ?? 0).multipliedReportingOverflow(
            by: Int64(settings.loop.count ?? 0)
        )
        intake.progress(
            done: bytesBefore + (file?.byteCount ?? 0),
            of: overflow || whole == 0 ? nil : whole
        )
    }
}
