// SPDX-License-Identifier: MIT
// swift-format-ignore-file
// Written by Tests/Scripts/page.

/// The files of the page.
enum PageFiles {
    /// The name of their folder, which is the hash of all files.
    static let folder = "dbb1af38525ac6e2"

    /// All files.
    static let all = part1 + part2 + part3 + part4 + part5 + part6
}
