// SPDX-License-Identifier: MIT

import TaplineCodings
import TaplineModel

/// When a file is finished, and what happens to it then.
struct Rotation: Sendable, Equatable {
    /// The maximum size of a file in bytes; a longer line gets a file of its own.
    var maxSize: Int?
    /// The longest time that a file covers; files end at multiples of it, counted in UTC.
    var age: Microseconds?
    /// How many finished files are kept; `nil` for all.
    var keep: Int?
    /// How finished files are compressed; `nil` for uncompressed.
    var coding: ContentCoding?

    /// A single file that is never rotated.
    static let none = Rotation()

    /// Whether finished files are compressed or removed.
    var needsCleanup: Bool { keep != nil || coding != nil }

    /// Whether adding a line makes a file too large; an empty file takes a line of any length.
    func splits(size: Int, adding line: Int) -> Bool {
        guard let maxSize, size > 0 else { return false }
        return size > maxSize - line
    }

    /// The number of the period that contains a moment; 0 if there is no age.
    func period(of moment: Timestamp) -> Int64 {
        guard let age, age.count > 0 else { return 0 }
        let number = moment.microseconds / age.count
        return moment.microseconds % age.count < 0 ? number - 1 : number
    }
}

extension ContentCoding {
    /// The suffix of files in this coding.
    var suffix: String { self == .gzip ? ".gz" : ".zst" }
}
