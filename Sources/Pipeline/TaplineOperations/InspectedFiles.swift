// SPDX-License-Identifier: MIT

package import TaplinePlugin

/// A sink whose exchanges an inspector can show.
package protocol StoreSinkFactory: SinkFactory {
    /// The path of the database.
    var storePath: String { get }
}

/// A stage whose rules are in a file that an inspector can show.
package protocol RuleFileFactory: StageFactory {
    /// The path of the file.
    var ruleFile: String { get }
}
