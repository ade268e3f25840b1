/// A request, with its body read in full. Everything in it is a stranger's.
package struct HTTPRequest: Sendable {
    package let method: String
    /// Without the query, percent-decoded.
    package let path: String
    /// The text after `?`, percent-decoded; of a repeated name the last.
    package let query: [String: String]
    /// The same in the order of the request, a repeated name as often as it stands there.
    package let arguments: [(name: String, value: String)]
    /// Names in lower case.
    package let headers: [String: String]
    package let body: [UInt8]
    /// The values of each `{name}` in the route's pattern.
    package let parameters: [String: String]
    /// The numeric address of the connection's other end; a proxy's where there is one before.
    package let peer: String

    package init(
        method: String = "GET", path: String, query: [String: String] = [:], arguments: [(name: String, value: String)] = [],
        headers: [String: String] = [:], body: [UInt8] = [], parameters: [String: String] = [:], peer: String = ""
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.arguments = arguments
        self.headers = headers
        self.body = body
        self.parameters = parameters
        self.peer = peer
    }
}
