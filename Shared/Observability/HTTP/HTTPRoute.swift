/// A handler of a method and a path.
package struct HTTPRoute: Sendable {
    /// Answers a request. Several run at once.
    package typealias Handler = @Sendable (HTTPRequest) async -> HTTPResponse

    package let method: String
    /// Levels with `/` between; `{name}` stands for any one level, and a last `{name*}` for all that are left.
    package let pattern: String
    /// The bytes that a request's body may have; nil for the server's limit.
    package let body: Int?
    package let handler: Handler

    package init(_ method: String, _ pattern: String, body: Int? = nil, _ handler: @escaping Handler) {
        self.method = method
        self.pattern = pattern
        self.body = body
        self.handler = handler
    }

    /// The parameters where the path fits the pattern, else nil.
    func match(_ path: String) -> [String: String]? {
        let wanted = pattern.split(separator: "/")
        let given = path.split(separator: "/")
        var parameters: [String: String] = [:]
        for (index, level) in wanted.enumerated() {
            if level.hasPrefix("{"), level.hasSuffix("*}") {
                parameters[String(level.dropFirst().dropLast(2))] = given.dropFirst(index).joined(separator: "/")
                return parameters
            }
            guard index < given.count else { return nil }
            if level.hasPrefix("{"), level.hasSuffix("}") {
                parameters[String(level.dropFirst().dropLast())] = String(given[index])
            } else if level != given[index] {
                return nil
            }
        }
        return wanted.count == given.count ? parameters : nil
    }
}
