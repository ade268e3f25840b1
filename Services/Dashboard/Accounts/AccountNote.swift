/// Who changes accounts, from where and when: what each line of the audit about it has in common.
package struct AccountNote: Sendable {
    /// The bytes of a line's detail; what is longer is told in several.
    private static let room = 1500

    private let actor: String
    private let address: String
    private let time: Double

    package init(actor: String, address: String, time: Double) { (self.actor, self.address, self.time) = (actor, address, time) }

    /// One line.
    package func line(_ action: String, _ detail: String = "") -> [AuditRecord] {
        [AuditRecord(time: time, actor: actor, action: action, participant: "", detail: detail, address: address)]
    }

    /// An account that is new: its roles, and every participant of its.
    package func added(_ account: Account) -> [AuditRecord] {
        lines("add-account", account.name, [(Self.words(account), [""]), ("for", account.participants)])
    }

    /// An account that is changed: its roles, and every participant that it has gained or lost.
    package func changed(_ former: Account, _ account: Account) -> [AuditRecord] {
        let (before, after) = (Set(former.participants), Set(account.participants))
        return lines(
            "change-account", account.name,
            [
                (Self.words(account), [""]), ("added", account.participants.filter { !before.contains($0) }),
                ("removed", former.participants.filter { !after.contains($0) }),
            ])
    }

    private static func words(_ account: Account) -> String {
        account.roles.map(\.rawValue).sorted().joined(separator: "+") + (account.isKiosk ? " kiosk" : "")
    }

    /// As few lines as hold it all, each of which begins with the account's name.
    private func lines(_ action: String, _ name: String, _ parts: [(word: String, names: [String])]) -> [AuditRecord] {
        var details: [String] = []
        var detail = name
        for part in parts {
            for (place, other) in part.names.enumerated() {
                let isFull = detail.utf8.count + part.word.utf8.count + other.utf8.count > Self.room
                if isFull {
                    details.append(detail)
                    detail = name
                }
                detail += place == 0 || isFull ? " \(part.word)" + (other.isEmpty ? "" : " \(other)") : ",\(other)"
            }
        }
        return (details + [detail]).flatMap { line(action, $0) }
    }
}
