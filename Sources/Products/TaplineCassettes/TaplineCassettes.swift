// SPDX-License-Identifier: MIT

// A test imports this module. It re-exports the types that the trait and the XCTest helper use, and
// the sessions that an app captures.

@_exported public import TaplineCapture
@_exported public import struct TaplineMatching.MatchedParts
