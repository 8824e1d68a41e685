// SPDX-License-Identifier: MIT

// Code that reads or creates messages works on their bytes.
@_exported public import TaplineBytes
