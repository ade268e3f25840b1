/// A part of a message that becomes readings: all of it, an element of an array, or a member of an object.
struct MappingRecord {
    /// The place, for refusals.
    let path: String
    let value: MappingValue
    /// The name of the member that it is, or is in; found as `@key`.
    let key: String?

    /// The name under which a member's key is found.
    static let keyName = "key"
    /// The step of `each` that stands for an object's members.
    static let allMembers: MappingKey = "*"

    /// The records that a step of `each` makes of this one: the elements of an array, the members of an object after `*`, or a value itself.
    func expanded(by step: MappingExpression, _ whole: MappingExpression.Scope) -> [MappingRecord] {
        let scope = scope(in: whole)
        if let holder = step.holderOfMembers {
            guard case .object(let members)? = holder.value(in: scope) else { return [] }
            return members.filter { $0.key != MappingValue.parentKey }.map {
                MappingRecord(path: "\(path).\($0.key.brief)", value: $0.value.with(parent: value), key: $0.key.text)
            }
        }
        switch step.value(in: scope) {
        case .array(let elements)?:
            // The record around an element stays at hand as its `parent`.
            return elements.enumerated().map {
                MappingRecord(path: "\(path)[\($0.offset)]", value: $0.element.with(parent: value), key: key)
            }
        case let single?: return [MappingRecord(path: path, value: single.with(parent: value), key: key)]
        case nil: return []
        }
    }

    /// The scope in which its places are looked up.
    func scope(in whole: MappingExpression.Scope) -> MappingExpression.Scope {
        var topic = whole.topic
        topic?.key = key
        return MappingExpression.Scope(message: whole.message, record: value, topic: topic)
    }
}

extension MappingExpression {
    /// The members that `*` stands for; nil where the path does not end in it.
    var holderOfMembers: MappingExpression? {
        guard case .path(let origin, let steps) = self, steps.last == .key(MappingRecord.allMembers) else { return nil }
        return .path(origin, steps.dropLast())
    }
}
