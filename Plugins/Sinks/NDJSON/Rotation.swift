// SPDX-License-Identifier: MIT

import TaplineCodings
import TaplineModel

/// When a file is finished and what becomes of it then.
struct Rotation: Sendable, Equatable {
    /// The bytes that a file may have; a longer line gets a file of its own.
    var maxSize: Int?
    /// How long a time a file covers at most; it ends at a whole multiple, counted in UTC.
    var age: Microseconds?
    /// How many finished files stay; nothing for all.
    var keep: Int?
    /// How finished files are compressed; nothing for not at all.
    var coding: ContentCoding?

    /// Files go on for ever.
    static let none = Rotation()

    /// Whether there is something to do for finished files.
    var tidies: Bool { keep != nil || coding != nil }

    /// Whether a line makes a file too large that has some already.
    func splits(size: Int, adding line: Int) -> Bool {
        guard let maxSize, size > 0 else { return false }
        return size > maxSize - line
    }

    /// The number of the period that a moment lies in; the same for all where there is no age.
    func period(of moment: Timestamp) -> Int64 {
        guard let age, age.count > 0 else { return 0 }
        let number = moment.microseconds / age.count
        return moment.microseconds % age.count < 0 ? number - 1 : number
    }
}

extension ContentCoding {
    /// What files of the coding end with.
    var suffix: String { self == .gzip ? ".gz" : ".zst" }
}
