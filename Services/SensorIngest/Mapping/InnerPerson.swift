import VigilSchema

/// The persons that objects within a message name, where the message is one person's: what is another's must not become theirs.
enum InnerPerson {
    /// The person that an object names.
    /// - Parameter container: The key that it stands under: among `patients`, an `id` is a person's.
    static func name(in record: MappingValue, under container: Substring = "") -> String? {
        let keys = isOfPersons(container) ? persons + identifiers : persons
        return keys.lazy.compactMap { record[$0]?.text }.first { !$0.isEmpty }
    }

    /// Returns whether a key holds several persons' objects.
    static func isOfPersons(_ key: Substring) -> Bool { containers.contains(KnownName.bare(String(key))) }

    /// Returns whether a name that a message gives may be its participant's: part of it, or a number or code that says nothing.
    static func isSame(_ name: String, as participant: String) -> Bool {
        let one = KnownName.bare(name.lowercased()), other = KnownName.bare(participant.lowercased())
        return one.isEmpty || one.contains(other) || other.contains(one)
    }

    private static let persons: [MappingKey] = [
        "patient", "patientId", "patient_id", "patientID", "patientName", "user", "userId", "user_id", "userid", "userName", "username",
        "user_name", "person", "personId", "participant", "participantId", "subject", "resident", "member",
    ]
    private static let identifiers: [MappingKey] = ["id", "name", "_id", "ID"]
    private static let containers: Set = [
        "patients", "users", "persons", "people", "members", "residents", "beds", "others", "otherusers", "family", "subjects",
        "participants",
    ]
    /// The keys whose text is a person's name, and no account's.
    static let named: [MappingKey] = ["patient", "patientName", "person", "participant", "resident"]
}

extension MappingRun {
    /// The refusal of an element of an array that names another person than the one whose message it is in; nil where it names none.
    /// - Parameter isMixed: Whether the elements name several.
    func objection(
        to element: MappingValue, under container: Substring, isMixed: Bool, _ scope: MappingExpression.Scope, _ path: String, at place: Int
    ) -> PayloadError? {
        guard let name = InnerPerson.name(in: element, under: container) else { return nil }
        let outer = InnerPerson.name(in: scope.record), participant = participant(at: place)
        guard outer != nil || isMixed || InnerPerson.isOfPersons(container), name != outer, name != participant else { return nil }
        return PayloadError(
            .conflicting, "this is of \"\(name.cut(characters: 32))\", and the message is another's: \(Self.advice)", path: path)
    }

    /// The refusal of a message that names another person than its topic does.
    func objectionToPerson(_ scope: MappingExpression.Scope, _ path: String, at place: Int) -> PayloadError? {
        let participant = participant(at: place)
        guard participant != DeviceAddress.unknown.participant else { return nil }
        for key in InnerPerson.named where !mapping.recordKeys.contains(key.text) {
            guard case .string(let name)? = scope.record[key], !InnerPerson.isSame(name, as: participant),
                name.allSatisfy({ $0.isLetter || " .-'".contains($0) })
            else { continue }
            let reason =
                "the key \"\(key.text)\" names \"\(name.cut(characters: 32))\", and the message is of \(participant): \(Self.advice)"
            return PayloadError(.conflicting, reason, path: path)
        }
        return nil
    }

    private static let advice = "send it on that person's topic, or say whose it is in a mapping"
}
