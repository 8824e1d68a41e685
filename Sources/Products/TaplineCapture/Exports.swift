// SPDX-License-Identifier: MIT

// The components are those of the library without capture.
@_exported public import TaplineComponents
