package import Shares

/// What an operator sees and decides of shares. The replicas follow at their next look.
extension PostgresLeases {
    /// The time that the database has to answer an operator.
    private static let answer = Duration.seconds(30)

    /// The services that share their work in this database, by name.
    package func services() async throws(ShareError) -> [String] {
        try await transaction(within: Self.answer) { connection throws(StoreError) in
            try connection.rows("SELECT DISTINCT service FROM lease ORDER BY service").map { $0.text(0) }
        }
    }

    /// Everything about a service; nil for one that shares nothing here.
    package func view(of service: String) async throws(ShareError) -> LeaseView? {
        let view = try await transaction(within: Self.answer) { connection throws(StoreError) in try Self.view(of: service, connection) }
        return view.rows.isEmpty ? nil : view
    }

    /// Has a share worked on by one replica, as long as that lives.
    /// - Parameter name: the replica; nil to leave the share to the even division again.
    package func move(_ share: Int, of service: String, to name: String?) async throws(ShareError) {
        let view = try await known(service)
        guard view.rows.contains(where: { $0.share == share }) else {
            throw ShareError(.unknown, "\(service) has the shares 0 to \(view.rows.count - 1)")
        }
        if let name {
            let one = try member(name, of: service, in: view)
            if one.drains { throw ShareError(.refused, "\(name) is being drained: restart it, or undrain it first") }
        }
        try await transaction(within: Self.answer) { connection throws(StoreError) in
            _ = try connection.run(
                "UPDATE lease SET wanted = $3 WHERE service = $1 AND share = $2",
                [.text(service), .integer(Int64(share)), .optional(name)])
        }
    }

    /// Has a replica give its shares to the others, until it is started anew; or lets it take part again.
    package func drain(_ name: String, of service: String, _ drains: Bool) async throws(ShareError) {
        let view = try await known(service)
        _ = try member(name, of: service, in: view)
        if drains, !view.members.contains(where: { $0.isAlive && !$0.drains && $0.name != name }) {
            throw ShareError(.refused, "\(name) is the last replica of \(service): nobody would be left to do the work")
        }
        try await transaction(within: Self.answer) { connection throws(StoreError) in
            _ = try connection.run(
                "UPDATE share_member SET drains = $3 <> 0 WHERE service = $1 AND name = $2",
                [.text(service), .text(name), .integer(drains ? 1 : 0)])
        }
    }

    private func known(_ service: String) async throws(ShareError) -> LeaseView {
        if let view = try await view(of: service) { return view }
        let names = try await services()
        let others = names.isEmpty ? "no service does" : "those that do: \(names.joined(separator: ", "))"
        throw ShareError(.unknown, "\(service) shares no work in this database; \(others)")
    }

    private func member(_ name: String, of service: String, in view: LeaseView) throws(ShareError) -> LeaseView.Member {
        if let one = view.members.first(where: { $0.name == name && $0.isAlive }) { return one }
        let alive = view.members.filter(\.isAlive).map(\.name)
        throw ShareError(
            .unknown, "no replica \(name) of \(service) lives; those that do: \(alive.isEmpty ? "none" : alive.joined(separator: ", "))")
    }
}
