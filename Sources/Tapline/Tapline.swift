// SPDX-License-Identifier: MIT

// What an app imports: with the package trait TAPLINE, which is on by default, what captures; without
// it the same names, which do nothing.

#if TAPLINE
@_exported public import TaplineCapture
@_exported public import TaplineModel
#else
@_exported public import TaplineOff
#endif
