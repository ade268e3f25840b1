/// The address of a broker, or of one node of it.
struct BrokerAddress: Sendable, Hashable, CustomStringConvertible {
    let host: String
    let port: UInt16

    var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

    /// Reads a list of addresses, separated by commas: `a,b:1884,[::1]:1885`. What has more than one colon and no brackets is an IPv6 address.
    /// - Parameter port: Of those that name none.
    /// - Returns: nil where one of them is none.
    static func list(_ text: String, port: UInt16) -> [BrokerAddress]? {
        var list: [BrokerAddress] = []
        for word in text.split(separator: ",", omittingEmptySubsequences: false) {
            guard let address = BrokerAddress(word, port: port) else { return nil }
            list.append(address)
        }
        return list
    }

    init(host: String, port: UInt16) { (self.host, self.port) = (host, port) }

    private init?(_ text: Substring, port: UInt16) {
        let word = text.drop { $0 == " " }
        let trimmed = word.prefix { $0 != " " }
        guard word.dropFirst(trimmed.count).allSatisfy({ $0 == " " }), !trimmed.utf8.contains(0) else { return nil }
        guard let (name, rest) = Self.split(trimmed), !name.isEmpty else { return nil }
        guard let rest else {
            (host, self.port) = (String(name), port)
            return
        }
        guard let own = UInt16(rest), own > 0 else { return nil }
        (host, self.port) = (String(name), own)
    }

    /// The name, and what stands behind its colon.
    private static func split(_ text: Substring) -> (Substring, Substring?)? {
        if text.first == "[" {
            guard let end = text.firstIndex(of: "]") else { return nil }
            let (name, rest) = (text[text.index(after: text.startIndex)..<end], text[text.index(after: end)...])
            if rest.isEmpty { return (name, nil) }
            return rest.first == ":" ? (name, rest.dropFirst()) : nil
        }
        guard text.count(where: { $0 == ":" }) == 1, let colon = text.firstIndex(of: ":") else { return (text, nil) }
        return (text[..<colon], text[text.index(after: colon)...])
    }
}

/// Decides which of a broker's nodes is tried next: the one that works, and after a failure each of the others in turn. A value without I/O.
struct BrokerNodes: Sendable, Hashable {
    /// The least time that one node gets to answer where there are several.
    private static let shortest = Duration.seconds(5)

    private let nodes: [BrokerAddress]
    private var index = 0
    /// The nodes that failed one after the other.
    private var failures = 0

    /// - Parameter nodes: At least one.
    init(_ nodes: [BrokerAddress]) { self.nodes = nodes }

    /// The node to connect to.
    var current: BrokerAddress { nodes[index] }

    /// The number of nodes.
    var count: Int { nodes.count }

    /// The time that one node may take to answer, so that all are tried within `limit` where that is not too short.
    func timeout(within limit: Duration) -> Duration {
        nodes.count == 1 ? limit : min(limit, max(limit / nodes.count, Self.shortest))
    }

    /// The node works.
    mutating func worked() { failures = 0 }

    /// The node failed: the next one is tried.
    /// - Returns: true where each of them has failed since one worked.
    mutating func failed() -> Bool {
        index = (index + 1) % nodes.count
        failures += 1
        guard failures >= nodes.count else { return false }
        failures = 0
        return true
    }
}
