// SPDX-License-Identifier: MIT

/// Why a network namespace cannot be made, and how the system can allow it.
package struct NamespaceError: Error, Sendable, Equatable, CustomStringConvertible {
    /// A step of making the namespace.
    package enum Step: Int32, Sendable {
        case unshare = 1
        case map = 2
        case loopback = 3
        case route = 4
        case listen = 5
    }

    /// The step that has failed; `nil` if the helper did not run.
    package let step: Step?
    /// The error number of the system; 0 if there is none.
    package let code: Int32
    /// The settings of the system that may be the reason.
    let limits: NamespaceLimits

    init(_ step: Step?, code: Int32, limits: NamespaceLimits = .ofSystem()) {
        self.step = step
        self.code = code
        self.limits = limits
    }

    /// The reason, and how to allow it.
    package var description: String {
        guard let step else {
            return "the helper for the network namespace did not start; \(systemText(code))"
        }
        let what =
            switch step {
            case .unshare: "make a user and network namespace"
            case .map: "map the user's id in the namespace"
            case .loopback, .route: "configure the network of the namespace"
            case .listen: "listen in the namespace"
            }
        return "the system does not allow '--all' to \(what); \(systemText(code)): \(advice)"
    }

    /// What forbids it, with the most certain reason first.
    var advice: String {
        if limits.maxUserNamespaces == 0 {
            return "user namespaces are switched off; root allows them with "
                + "'sysctl user.max_user_namespaces=10000'"
        }
        if limits.allowsUnprivileged == false {
            return "users other than root may make none; root allows it with "
                + "'sysctl kernel.unprivileged_userns_clone=1'"
        }
        if limits.isRestrictedByAppArmor == true {
            return "AppArmor restricts user namespaces; root allows them with "
                + "'sysctl kernel.apparmor_restrict_unprivileged_userns=0', or with a profile that "
                + "has 'userns,' for this program"
        }
        if code == Self.noSpace {
            return "there are as many namespaces as 'user.max_user_namespaces' and "
                + "'user.max_net_namespaces' allow"
        }
        if step == .unshare {
            return "seccomp may forbid it, as in a container; run the container with a profile "
                + "that allows unshare(2), such as '--security-opt seccomp=unconfined'"
        }
        return "a security module such as AppArmor or SELinux may forbid it"
    }

    /// ENOSPC, which unshare(2) returns if a limit is reached.
    private static let noSpace: Int32 = 28

    private func systemText(_ code: Int32) -> String {
        switch code {
        case 0: "it ended early"
        case 1: "not permitted (EPERM)"
        case 13: "access denied (EACCES)"
        case 22: "not supported by this kernel (EINVAL)"
        case 23: "no file descriptor is left (ENFILE)"
        case 24: "no file descriptor is left (EMFILE)"
        case Self.noSpace: "a limit is reached (ENOSPC)"
        case 38: "not supported by this system (ENOSYS)"
        default: "error \(code)"
        }
    }
}
