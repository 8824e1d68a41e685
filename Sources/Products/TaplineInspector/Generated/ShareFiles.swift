// SPDX-License-Identifier: MIT
// swift-format-ignore-file
// Written by Tests/Scripts/share.

/// The page of a shared file, compressed with gzip, in base64.
enum ShareFiles {
    /// What comes before the exchanges.
    static let before: [StaticString] = [part1]

    /// What comes after them.
    static let after: [StaticString] = [part2, part3, part4, part5]
}
