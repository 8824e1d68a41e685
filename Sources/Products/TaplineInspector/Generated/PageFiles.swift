// SPDX-License-Identifier: MIT
// swift-format-ignore-file
// Written by Tests/Scripts/page.

/// The files of the page.
enum PageFiles {
    /// The name of their folder, which is the hash of all files.
    static let folder = "0d4b00d8ea54f98d"

    /// All files.
    static let all = part1 + part2 + part3 + part4 + part5 + part6 + part7
}
