// SPDX-License-Identifier: MIT

// The types of an exchange and the components are those of the library with capture.
@_exported public import TaplineComponents
@_exported public import TaplineModel
