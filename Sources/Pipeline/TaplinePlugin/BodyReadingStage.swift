// SPDX-License-Identifier: MIT

package import TaplineModel

/// A wire stage that decides for each exchange whether a hook needs the whole body.
///
/// The bodies that the key `buffer` names are buffered in any case.
package protocol BodyReadingStage: WireStage {
    /// Returns whether a hook, `request` or `response`, needs the whole body of an exchange whose
    /// head is complete.
    ///
    /// - Parameters:
    ///   - hook: The hook that runs next; the body is that of its message.
    ///   - exchange: The exchange, without that body.
    ///   - context: The context of the exchange.
    ///   - mayChange: Whether earlier stages may still change the exchange before the hook runs.
    /// - Returns: Whether the hook needs the body.
    func needsBody(
        of hook: Hooks,
        _ exchange: borrowing Exchange,
        _ context: borrowing ExchangeContext,
        mayChange: Bool
    ) -> Bool
}

/// The configuration of a `BodyReadingStage`.
package protocol BodyReadingFactory: StageFactory {
    /// The hooks that may need whole bodies.
    var bodyReadingHooks: Hooks { get }
}

extension StageFactory {
    /// The hooks that may need whole bodies, whatever the key `buffer` says.
    package var hooksThatReadBodies: Hooks {
        (self as? any BodyReadingFactory)?.bodyReadingHooks ?? []
    }
}
