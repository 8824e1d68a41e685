// SPDX-License-Identifier: MIT

// Whoever reads or makes messages works on their bytes.
@_exported public import TaplineBytes
