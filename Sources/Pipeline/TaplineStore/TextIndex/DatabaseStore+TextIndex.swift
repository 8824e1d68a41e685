// SPDX-License-Identifier: MIT

internal import TaplineQuery
internal import TaplineSQL
internal import TaplineSystem

/// What the full-text index of a database says about a filter.
enum TextLookup {
    /// There is no index, or none that finds the texts of the filter.
    case none
    /// Only some rows can match.
    case found(CandidateRows, TextIndexKind)
    /// More rows may match than the index should find.
    case tooMany(Int, TextIndexKind)
    /// The index is not used, for a reason.
    case unusable(String)
}

extension DatabaseStore {
    /// Asks the full-text index which rows of a range can match.
    ///
    /// - Throws: `StoreError` if the database cannot be read; `QueryCancelled`. Errors of the index
    ///   are a reason not to use it.
    func textLookup(
        _ query: RowQuery,
        in range: RowRange = .all,
        progress: QueryProgress? = nil
    ) throws -> TextLookup {
        guard let text = query.requiredText, !query.condition.isNever else { return .none }
        do {
            guard let file = try TextIndexFile(readingOf: path) else { return .none }
            return try file.connection.transaction(.deferred) { () throws -> TextLookup in
                let state = try file.state()
                // An index is valid for the rows as they were when its token was read.
                let token = try reader.naming { try TextIndexMarker.token(reader.connection) }
                guard let state, state.token == token else {
                    return .unusable("the full-text index is out of date")
                }
                guard let search = TermSearch(text, in: state.kind) else { return .none }
                do {
                    let found = try TextIndexSearch(file, state, search)
                        .matches(in: range, progress)
                    return .found(found, state.kind)
                } catch let error as TextIndexSearch.TooMany {
                    return .tooMany(error.limit, state.kind)
                }
            }
        } catch let error as StoreError {
            throw error
        } catch let error as QueryCancelled {
            throw error
        } catch is DamagedIndex {
            return .unusable("the full-text index is damaged")
        } catch let error as SQLiteError {
            return .unusable("the full-text index cannot be read (\(error.message))")
        } catch let error as FileError {
            return .unusable("the full-text index cannot be read (\(error.description))")
        }
    }

    /// The ranges of the rows that can match, if the full-text index knows them; otherwise `nil`.
    func textRanges(
        _ query: RowQuery,
        in range: RowRange = .all,
        progress: QueryProgress? = nil
    ) throws -> [RowRange]? {
        switch try textLookup(query, in: range, progress: progress) {
        case .none, .tooMany: return nil
        case .found(let matches, _): return matches.ranges(in: range)
        case .unusable(let reason):
            warnOfIndex(reason)
            return nil
        }
    }

    /// Explains the use of the full-text index; `nil` if it does not help.
    func textSteps(_ query: RowQuery) throws -> (steps: [StorePlan.Step], isUsed: Bool)? {
        switch try textLookup(query) {
        case .none: return nil
        case .found(let matches, let kind):
            let newer = try reader.naming {
                try reader.connection.integer(
                    "SELECT count(*) FROM exchanges WHERE seq > \(matches.covered)"
                )
            }
            let text = "\(matches.numbers.count) of its rows may match; \(newer ?? 0) are newer"
            return ([.init("index", "full text (\(kind.rawValue)): \(text)")], true)
        case .tooMany(let limit, let kind):
            let text = "not used, as it finds more than \(limit) rows and a scan is faster"
            return ([.init("index", "full text (\(kind.rawValue)): \(text)")], false)
        case .unusable(let reason): return ([.init("index", "not used: \(reason)")], false)
        }
    }
}
