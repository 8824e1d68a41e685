// SPDX-License-Identifier: MIT

package import TaplinePlugin

/// The single declaration of everything that scripts can use.
///
/// Type stubs for editors and the check of scripts are generated from it. Tests compare it in both
/// directions with the C code, the reference page and its examples.
package enum LuaAPI {
    /// The functions that a script may define.
    package static let hooks: [LuaHook] = [
        LuaHook("start", "config: any", "Called once in each lane, before the first exchange."),
        LuaHook(
            "request",
            "ex: tapline.Exchange",
            result: "tapline.Verdict?",
            "Called before the request goes to the server."
        ),
        LuaHook(
            "response",
            "ex: tapline.Exchange",
            result: "tapline.Verdict?",
            "Called before the response goes to the client."
        ),
        LuaHook(
            "message",
            "ex: tapline.Exchange, message: tapline.Message",
            result: "tapline.Verdict?",
            "Called before a text or binary message of a WebSocket is passed on."
        ),
        LuaHook(
            "record",
            "ex: tapline.Exchange",
            result: "tapline.Verdict?",
            "Called when the exchange has ended."
        ),
        LuaHook("stop", "", "Called once in each lane, at the end."),
    ]

    /// Everything that has members: the exchange and its parts, then the libraries.
    ///
    /// Lua's own libraries are not listed; `absent` names the functions that they lack.
    package static let groups: [LuaGroup] = exchange + messages + libraries

    /// The functions and libraries of Lua that scripts do not have.
    package static let absent = [
        "load", "loadfile", "dofile", "warn", "io", "os", "package", "debug",
        "string.dump",
    ]
}

/// A function that a script may define.
package struct LuaHook: Sendable {
    /// The name of the global function.
    package let name: String
    /// Its parameters with their types, in the notation of the Lua language server.
    package let parameters: String
    /// The type of its result; `nil` if the result is ignored.
    package let result: String?
    /// When it is called.
    package let summary: String

    init(_ name: String, _ parameters: String, result: String? = nil, _ summary: String) {
        self.name = name
        self.parameters = parameters
        self.result = result
        self.summary = summary
    }
}

/// An object or a library, with its members.
package struct LuaGroup: Sendable {
    /// How a script writes it: `ex.request`, `json`; empty for the global functions.
    package let path: String
    /// The name of its type in stubs.
    package let className: String
    /// A one-line description.
    package let summary: String
    /// The type of the values whose names are not members, as for headers; `nil` if such a name is
    /// an error.
    package let others: String?
    /// The type of the elements of a list; `nil` if the group is not a list.
    package let elements: String?
    /// Whether it is only a type that functions take or return, which `path` names.
    package let isValue: Bool
    /// Its fields, methods and functions.
    package let members: [LuaMember]

    init(
        _ path: String,
        _ className: String,
        _ summary: String,
        others: String? = nil,
        elements: String? = nil,
        isValue: Bool = false,
        _ members: [LuaMember]
    ) {
        self.path = path
        self.className = className
        self.summary = summary
        self.others = others
        self.elements = elements
        self.isValue = isValue
        self.members = members
    }
}

/// A field, method or function.
package struct LuaMember: Sendable {
    /// How a script uses it.
    package enum Kind: Sendable {
        /// Can be read, and assigned in the hooks of `writable`: `ex.id`.
        case field
        /// Called with a colon: `ex.request:json()`.
        case method
        /// Called with a dot, or by its name if it is global: `json.encode(t)`, `drop()`.
        case function
    }

    /// The name.
    package let name: String
    /// How a script uses it.
    package let kind: Kind
    /// The type in the notation of the Lua language server: `integer?`, `fun(text: string): any`.
    package let type: String
    /// A one-line description.
    package let summary: String
    /// The hooks in which it is available; libraries also work in `start` and `stop`.
    package let hooks: Hooks
    /// The hooks in which it can be assigned; `json` is the only method that can.
    package let writable: Hooks

    private init(
        _ name: String,
        _ kind: Kind,
        _ type: String,
        _ summary: String,
        _ hooks: Hooks,
        _ writable: Hooks
    ) {
        self.name = name
        self.kind = kind
        self.type = type
        self.summary = summary
        self.hooks = hooks
        self.writable = writable
    }

    static func field(
        _ name: String,
        _ type: String,
        _ summary: String,
        in hooks: Hooks = .all,
        writable: Hooks = []
    ) -> LuaMember {
        LuaMember(name, .field, type, summary, hooks, writable)
    }

    /// Creates a method from its signature without `self`, such as `(name: string): string?`.
    static func method(
        _ name: String,
        _ signature: String,
        _ summary: String,
        in hooks: Hooks = .all,
        writable: Hooks = []
    ) -> LuaMember {
        let rest = signature.dropFirst()
        let type = "fun(self" + (rest.hasPrefix(")") ? "" : ", ") + rest
        return LuaMember(name, .method, type, summary, hooks, writable)
    }

    static func function(
        _ name: String,
        _ signature: String,
        _ summary: String,
        in hooks: Hooks = .all
    ) -> LuaMember {
        LuaMember(name, .function, "fun" + signature, summary, hooks, [])
    }
}

extension Hooks {
    static let all: Hooks = [.request, .response, .message, .record]
    /// The hooks in which a request or response can be replaced.
    static let passing: Hooks = [.request, .response]
    /// The hooks in which the request can be changed.
    static let toServer: Hooks = [.request, .record]
    /// The hooks in which the response can be changed.
    static let toClient: Hooks = [.response, .record]
}
