// SPDX-License-Identifier: MIT

// What a test imports: beside the trait and the helper of XCTest what they take and hand out, and the
// sessions that an app captures.

@_exported public import TaplineCapture
