import VigilSchema

/// The part that an account has in the suite; an account may have several.
package enum Role: String, Sendable, Codable, CaseIterable {
    case patient, carer, analyst
    case `operator`

    /// The permissions of the role; about health data, only of the account's participants.
    package var permissions: Set<Permission> {
        switch self {
        case .patient: [.seeHealth, .seeIdentity, .enter]
        case .carer: [.seeHealth, .seeIdentity, .enter, .removeEntries, .answerAlerts, .calibrate, .setThresholds]
        case .analyst: [.seeHealth]
        case .operator: [.operate, .seeAudit, .manageAccounts]
        }
    }
}

/// A right that routes ask for.
package enum Permission: String, Sendable, Codable, CaseIterable {
    /// Numbers, waveforms, alerts and the timeline of the account's participants.
    case seeHealth = "see-health"
    /// The participants' names rather than pseudonyms, and what people wrote.
    case seeIdentity = "see-identity"
    /// To add entries and levels to the timeline.
    case enter
    /// To take entries of the timeline away.
    case removeEntries = "remove-entries"
    /// To acknowledge and silence alerts.
    case answerAlerts = "answer-alerts"
    case calibrate
    case setThresholds = "set-thresholds"
    /// Modules, their parameters, devices and imports.
    case operate
    case seeAudit = "see-audit"
    case manageAccounts = "manage-accounts"
}

/// A person, or a screen on a wall, that may sign in.
package struct Account: Sendable, Hashable, Codable {
    /// The name to sign in with: 1–64 of `A-Za-z0-9_.-`.
    package var name: String
    package var roles: Set<Role>
    /// The participants that the account is concerned with; `*` stands for everybody.
    package var participants: [String]
    /// A screen on a wall: it only reads, and stays signed in for 30 days.
    package var isKiosk: Bool
    /// The settings of the pages, as the pages keep them: a JSON object.
    package var preferences: String

    package init(name: String, roles: Set<Role>, participants: [String] = [], isKiosk: Bool = false, preferences: String = "{}") {
        self.name = name
        self.roles = roles
        self.participants = participants
        self.isKiosk = isKiosk
        self.preferences = preferences
    }

    /// More names than a ward has people are a mistake; `*` stands for everybody.
    package static let mostParticipants = 500

    /// The permissions of all its roles together. A screen on a wall changes nothing.
    package var permissions: Set<Permission> {
        let all = roles.reduce(into: Set<Permission>()) { $0.formUnion($1.permissions) }
        return isKiosk ? all.intersection([.seeHealth, .seeIdentity]) : all
    }

    /// Returns whether the account may see the participant's health data.
    package func sees(_ participant: String) -> Bool {
        // Services report about themselves as participants that begin so; they are the operators'.
        if participant.hasPrefix("_module.") { return permissions.contains(.operate) }
        return permissions.contains(.seeHealth) && (participants.contains("*") || participants.contains(participant))
    }

    /// A Boolean value that indicates whether names are hidden from it.
    package var seesPseudonyms: Bool { !permissions.contains(.seeIdentity) }
}

/// The reason why an account or what signs it in was refused.
package enum AccountError: Error, Sendable, Hashable, CustomStringConvertible {
    case malformedName
    case malformedParticipant(String)
    case tooManyParticipants
    case noRole
    case exists(String)
    case unknown(String)
    case weakPassword
    case lastOperator
    case tooManyPasskeys
    case passkeyExists
    case unknownPasskey
    case unknownToken
    case tooManyTokens
    case tooManyShareLinks
    case usedLink
    case tooManyAttempts
    case changedPassword

    package var description: String {
        switch self {
        case .malformedName: "an account's name is 1 to 64 of A-Z a-z 0-9 _ . -"
        case .malformedParticipant(let name): "\(name.prefix(80)) is no participant: 1 to 64 of A-Z a-z 0-9 _ . -, or * for everybody"
        case .tooManyParticipants:
            "an account is concerned with \(Account.mostParticipants) participants at the most; * stands for everybody"
        case .noRole: "an account needs a role: \(Role.allCases.map(\.rawValue).joined(separator: ", "))"
        case .exists(let name): "there is an account \(name) already"
        case .unknown(let name): "there is no account \(name.prefix(80))"
        case .weakPassword: "a password has 10 to 200 characters and is not the account's name"
        case .lastOperator: "it is the last operator: nobody could make accounts any more"
        case .tooManyPasskeys: "an account has \(AccountStore.mostPasskeys) passkeys at the most: remove one first"
        case .passkeyExists: "this passkey is in use already"
        case .tooManyTokens: "an account has \(AccountStore.mostTokens) tokens at the most: end one first"
        case .tooManyShareLinks: "a person has \(AccountStore.mostShareLinks) links at the most: revoke one first"
        case .unknownPasskey: "there is no such passkey"
        case .unknownToken: "there is no such token"
        case .usedLink: "the link was used already, is too old, or was replaced by a newer one"
        case .tooManyAttempts: "too many attempts at once; try again in a moment"
        case .changedPassword: "the password was changed meanwhile"
        }
    }
}

extension Account {
    /// Checks what the types do not say.
    package func validate() throws(AccountError) {
        guard Name.isValid(name) else { throw .malformedName }
        guard !roles.isEmpty else { throw .noRole }
        for participant in participants where participant != "*" && !Name.isValid(participant) { throw .malformedParticipant(participant) }
    }

    /// Checks what somebody wants to set: each participant counts once, and there are not too many, unless there were already.
    mutating func settle(after former: Account? = nil) throws(AccountError) {
        var seen: Set<String> = []
        participants.removeAll { !seen.insert($0).inserted }
        guard participants.count <= max(Self.mostParticipants, former?.participants.count ?? 0) else { throw .tooManyParticipants }
        try validate()
    }

    /// Checks a password that is to be set.
    package func check(password: String) throws(AccountError) {
        guard (10...200).contains(password.count), password.lowercased() != name.lowercased() else { throw .weakPassword }
    }
}
