import JSON5
import VigilSchema

/// The operations that each role may ask the services for: `deploy/roles.json5`, checked.
package struct RoleTable: Sendable, Equatable {
    /// The participants that a role's requests may be about.
    package enum Scope: String, Sendable, CaseIterable {
        case own, all, none
    }

    /// The rights of a role.
    package struct Rights: Sendable, Equatable {
        package var scope: Scope
        /// The operations by service: `timeline`, `alert`, `stress`, `import`.
        package var operations: [String: Set<String>] = [:]
        /// The longest silence that the role may give, in seconds; nil for any.
        package var longestSilence: Double?
        /// The share of the way from a rule's own limit to the end of what is believable by which the role may ease a threshold; nil for any.
        package var thresholdEasing: Double?
        /// Indicates whether its requests bear the name of whoever is behind them, whom the role's service has signed in.
        package var signsForOthers = false
    }

    /// The services that take requests.
    package static let services = ["timeline", "alert", "stress", "ingest", "modules", "dashboard", "import"]

    /// The rights by role.
    package let roles: [String: Rights]

    package init(roles: [String: Rights]) { self.roles = roles }

    /// Reads the table.
    /// - Throws: `AccessError`, with every mistake and its place.
    package init(parsing text: String, file: String = "roles.json5") throws(AccessError) {
        let problems = JSON5Problems()
        let document: JSON5Value
        do { document = try JSON5Parser.parse(text) } catch { throw AccessError("\(file): \(error)") }
        var roles: [String: Rights] = [:]
        if var object = JSON5Object(document, as: "the table of roles", problems: problems) {
            object.require("roles")
            var table = object.object("roles")
            for member in table?.all() ?? [] {
                guard let role = JSON5Object(member.value, as: "role \"\(member.name)\"", problems: problems) else { continue }
                roles[member.name] = Self.rights(role, problems)
            }
            object.refuseUnknown()
        }
        guard problems.isEmpty else { throw AccessError("\(file): \(problems.sorted.map { "\($0)" }.joined(separator: "; "))") }
        self.roles = roles
    }

    private static func rights(_ object: JSON5Object, _ problems: JSON5Problems) -> Rights {
        var object = object
        object.require("participants")
        var rights = Rights(scope: object.choice("participants", of: Scope.allCases.map(\.rawValue)).flatMap(Scope.init) ?? .none)
        for service in services { if let names = object.strings(service) { rights.operations[service] = Set(names) } }
        if let text = object.string("silence") {
            rights.longestSilence = seconds(text)
            if rights.longestSilence == nil { problems.add("\"silence\" must be a duration such as 24h or 30m", at: object.position) }
        }
        if let share = object.number("threshold") {
            rights.thresholdEasing = share
            if !(0...1).contains(share) { problems.add("\"threshold\" must lie between 0 and 1", at: object.position) }
        }
        rights.signsForOthers = object.choice("signs", of: ["own", "others"]) == "others"
        object.refuseUnknown()
        return rights
    }

    /// The seconds of a duration such as `90s`, `24h` or `1h30m`, as the services read it; nil for none, or one that is not positive.
    static func seconds(_ text: String) -> Double? {
        DurationText.microseconds(text).flatMap { $0 > 0 ? Double($0) / 1e6 : nil }
    }
}

/// A table of roles or a list of accounts that cannot be used, in words.
package struct AccessError: Error, Sendable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}
