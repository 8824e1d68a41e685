// SPDX-License-Identifier: MIT

// What an app imports: with the package trait TAPLINE, which is on by default, what captures, and the
// types that it hands out; without it the same names, which do nothing.

#if TAPLINE
@_exported public import TaplineCapture
@_exported public import TaplineModel
@_exported public import struct TaplinePlugin.ActiveExchange
@_exported public import struct TaplinePlugin.Log
@_exported public import struct TaplinePlugin.LogEntry
@_exported public import class TaplinePlugin.Record
#else
@_exported public import TaplineOff
#endif
