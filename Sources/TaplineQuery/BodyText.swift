// SPDX-License-Identifier: MIT

internal import TaplineModel

/// Bodies as the filter sees them.
enum BodyText {
    static func decode(_ body: borrowing Body, limit: Int) -> [UInt8]? { nil }
}
