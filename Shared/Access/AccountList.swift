package import Foundation
import VigilSchema

/// The accounts at the broker with the role of each, as `vigil accounts` keeps them beside the broker's own files.
///
/// `{"accounts": [{"name": "carl", "role": "carer", "participants": ["anna", "ben"]}]}`; the account of a service has that service's name and role.
package struct AccountList: Sendable, Equatable, Codable {
    /// An account, and whom it is for.
    package struct Account: Sendable, Hashable, Codable {
        package var name: String
        package var role: String
        package var participants: [String]

        package init(name: String, role: String, participants: [String]) {
            (self.name, self.role, self.participants) = (name, role, participants)
        }
    }

    /// The accounts of the suite itself, each with a role of its own name.
    package static let services = ["ingest", "stress", "alert", "timeline", "import", "dashboard", "modules", "operator", "monitor"]
    /// The file's name, beside `passwords` and `acl`.
    package static let fileName = "accounts.json"

    /// The accounts of devices and people, by name.
    package private(set) var accounts: [Account] = []

    package init() {}

    /// Reads the file's bytes.
    package init(decoding data: Data) throws(AccessError) {
        do { self = try JSONDecoder().decode(AccountList.self, from: data) } catch {
            throw AccessError("the list of accounts is damaged: \(error)")
        }
    }

    /// Returns the account with that name; one of a service is always there.
    package subscript(_ name: String) -> Account? {
        if Self.services.contains(name) { return Account(name: name, role: name, participants: []) }
        return accounts.first { $0.name == name }
    }

    /// Adds the account, or puts it in another's place of that name.
    package mutating func set(_ account: Account) {
        remove(account.name)
        accounts.append(account)
        accounts.sort { $0.name < $1.name }
    }

    /// Takes the account with that name away.
    package mutating func remove(_ name: String) { accounts.removeAll { $0.name == name } }

    /// The file's bytes.
    package func encoded() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        return try encoder.encode(self) + Data("\n".utf8)
    }
}
