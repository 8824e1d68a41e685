// SPDX-License-Identifier: MIT

// An app imports this module. With the package trait TAPLINE, which is on by default, it exports
// the capture and its types; without the trait, it exports the same names without effect.

#if TAPLINE
@_exported public import TaplineCapture
@_exported public import TaplineModel
@_exported public import struct TaplinePlugin.ActiveExchange
@_exported public import struct TaplinePlugin.Log
@_exported public import struct TaplinePlugin.LogEntry
@_exported public import class TaplinePlugin.Record
#else
@_exported public import TaplineNoOp
#endif
