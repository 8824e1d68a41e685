// SPDX-License-Identifier: MIT

/// Plugins that an app passes to Tapline, such as `.detectors`: always a `PluginRegistry` of TaplinePlugin.
///
/// An app without capture does not link that module, but its calls with plugins still compile.
public protocol PluginCollection: Sendable {}
