// SPDX-License-Identifier: MIT

internal import TaplinePlugin

/// The variables by which programs are led through a proxy, and made to trust its authority.
///
/// **Source**: the manuals of curl, git, wget, Go's net/http, Python's urllib, requests and httpx,
/// Node, Ruby's open-uri, and Java's networking properties; URLSession of Foundation on Linux, which
/// is libcurl.
enum ExecVariables {
    /// Leads programs to `host:port`, also for what they ask of this machine; with a user and a
    /// password, which Java does not take from its options.
    static func set(
        proxy address: String,
        userInfo: String? = nil,
        in variables: inout [String: String]
    ) {
        let url = "http://" + (userInfo.map { "\($0)@" } ?? "") + address
        for name in ["http_proxy", "https_proxy"] {
            variables[name] = url
            variables[name.uppercased()] = url
        }
        for name in ["no_proxy", "all_proxy"] {
            variables[name] = nil
            variables[name.uppercased()] = nil
        }
        // Node looks at the others only where this one says so.
        variables["NODE_USE_ENV_PROXY"] = "1"
        let parts = address.split(separator: ":")
        guard parts.count == 2 else { return }
        // Without the last one Java goes straight to localhost.
        let java = ["http", "https"].map {
            "-D\($0).proxyHost=\(parts[0]) -D\($0).proxyPort=\(parts[1])"
        }
        add(java.joined(separator: " ") + " -Dhttp.nonProxyHosts=", toJavaIn: &variables)
    }

    /// Makes programs trust a root certificate; the bundle holds it beside those of the system, and
    /// so does the store that the options for Java name.
    static func set(
        root: String,
        bundle: String,
        java: String,
        in variables: inout [String: String]
    ) {
        for name in CertificateBundle.variables { variables[name] = bundle }
        for name in CertificateBundle.addingVariables { variables[name] = root }
        add(java, toJavaIn: &variables)
    }

    private static func add(_ options: String, toJavaIn variables: inout [String: String]) {
        let former = variables["JAVA_TOOL_OPTIONS"].map { "\($0) " } ?? ""
        variables["JAVA_TOOL_OPTIONS"] = former + options
    }
}
