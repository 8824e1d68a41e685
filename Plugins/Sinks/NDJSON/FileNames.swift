// SPDX-License-Identifier: MIT

import TaplineModel
import TaplineSystem

/// Chooses the next file of a template from the files in its folder.
struct FileNames {
    let template: NameTemplate

    /// The file to continue at a moment: the last one that exists, or else the first name.
    func current(at moment: Timestamp) throws(FileError) -> String {
        guard template.hasCounter else { return template.path(at: moment, counter: 0) }
        let last = try lastCounter(at: moment)
        let path = template.path(at: moment, counter: max(last, 1))
        // The last file may exist only in compressed form.
        if last > 0, try FileSystem.status(of: path) == nil {
            return template.path(at: moment, counter: last + 1)
        }
        return path
    }

    /// The path after those of all existing files, for a template with a counter.
    func next(at moment: Timestamp) throws(FileError) -> String {
        template.path(at: moment, counter: try lastCounter(at: moment) + 1)
    }

    /// The path that a finished file is moved to, for a template without a counter.
    func archive(of path: String) throws(FileError) -> String {
        template.archive(of: path, counter: try lastCounter(like: FileSystem.name(of: path)) + 1)
    }

    /// Whether the date in a path of the template is later than the date in another path.
    func isLater(_ path: String, than other: String) -> Bool {
        guard let match = template.match(FileSystem.name(of: path)),
            let former = template.match(FileSystem.name(of: other))
        else { return false }
        return former.date.lexicographicallyPrecedes(match.date)
    }

    private func lastCounter(at moment: Timestamp) throws(FileError) -> Int {
        try lastCounter(like: FileSystem.name(of: template.path(at: moment, counter: 1)))
    }

    /// The highest number among the files with the same date as a name.
    private func lastCounter(like name: String) throws(FileError) -> Int {
        guard let wanted = template.match(name)?.date else { return 0 }
        var last = 0
        for name in try FileSystem.names(in: template.folder) {
            let plain = FinishedFile.plainName(name)
            guard let match = template.match(plain), match.date == wanted else { continue }
            last = max(last, match.counter ?? 0)
        }
        return last
    }
}
