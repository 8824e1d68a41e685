// SPDX-License-Identifier: MIT

internal import TaplineFormats
internal import TaplineModel
internal import TaplineQuery

extension RecordingRewrite {
    /// Removes the records that match a filter, or only counts them; unreadable lines are kept.
    func erase(_ filter: Filter, isPreview: Bool) throws -> ErasureReport {
        var report = ErasureReport()
        var parser = RecordParser()
        var position = 0
        // The position counts the lines before, so that no other thread can decide.
        _ = try rewrite(isPreview: isPreview) { records in
            var batch = Batch(records: records)
            for index in 0..<records.count {
                var change = Change.keep
                if var exchange = try? parser.exchange(at: index, of: records) {
                    if exchange.id.isNil {
                        exchange.id = records.derivedID(
                            at: index,
                            started: exchange.started,
                            position: position
                        )
                    }
                    if filter.matches(exchange) {
                        report.removed(exchange.id)
                        change = .remove
                    }
                } else {
                    report.addProblems(1)
                }
                batch.changes.append(change)
                position += 1
            }
            return batch
        }
        return report
    }

    /// Removes values from all lines, or only counts them.
    func erase(
        _ makeEraser: @escaping MakeContentEraser,
        isPreview: Bool
    ) throws -> ErasureReport {
        let own = try makeEraser()
        return try rewrite(isPreview: isPreview) {
            Self.erase($0, own)
        } onThreads: {
            let eraser = try makeEraser()
            return { Self.erase($0, eraser) }
        }
    }

    private static func erase(_ records: RawRecords, _ eraser: any ContentEraser) -> Batch {
        var batch = Batch(records: records)
        for index in 0..<records.count {
            let erased = eraser.erase(json: records.bytes(at: index))
            if eraser.takeMetLimit() { batch.report.addProblems(1) }
            guard let erased else {
                batch.changes.append(.keep)
                continue
            }
            batch.report.add("lines", erased.count)
            batch.report.addJoinedNames("lines", eraser.takeJoinedNames())
            if erased.bytes.isEmpty { batch.report.addRemovedPart() }
            batch.changes.append(erased.bytes.isEmpty ? .remove : .replace(erased.bytes))
        }
        return batch
    }
}
