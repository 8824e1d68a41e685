// SPDX-License-Identifier: MIT

/// The version of this source tree.
package enum ProgramVersion {
    /// As the command shows it, and as files name it that Tapline has made.
    package static let text = "0.1.0"
}
