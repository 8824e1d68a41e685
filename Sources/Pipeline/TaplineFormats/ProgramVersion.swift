// SPDX-License-Identifier: MIT

/// The version of this source tree.
package enum ProgramVersion {
    /// The version that the command prints, and that files written by Tapline contain.
    package static let text = "0.1.0"
}
