// SPDX-License-Identifier: MIT

public import TaplinePlugin

// What an app meets by `import Tapline`, though it is at home with the plugins.

/// What may be known of an exchange on its way.
public typealias ActiveExchange = TaplinePlugin.ActiveExchange
/// Where a tap logs.
public typealias Log = TaplinePlugin.Log
/// An exchange that has ended, as the stages have left it.
public typealias Record = TaplinePlugin.Record
