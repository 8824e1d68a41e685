// SPDX-License-Identifier: MIT

// The types of an exchange are those of the library with capture.
@_exported public import TaplineModel
