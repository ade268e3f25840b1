import VigilSchema

/// The members by which makers say that a record is no measurement: deleted, invalid, a goal, a test, an estimate. They count in every mapping,
/// whatever it leaves out, unless it reads them itself.
enum RecordStatus {
    fileprivate enum Meaning {
        /// The record is none where the value is false.
        case unlessTrue(String)
        /// The record is none where the value is true, or a date.
        case ifSet(String)
        /// The record is none where the value is one of these words.
        case oneOf(Set<String>, String)
    }

    /// The reason why a record is no measurement, with the key that says so; nil where nothing does.
    /// - Parameter read: The keys that the mapping reads itself.
    static func objection(to record: MappingValue, read: Set<String>) -> (key: String, reason: String)? {
        guard case .object(let members) = record else { return nil }
        for member in members {
            if member.key == MappingValue.parentKey {
                if let objection = objection(to: member.value, read: read) { return objection }
                continue
            }
            guard mask & member.key.bit != 0, let meaning = meanings[member.key], !read.contains(member.key.text),
                // A mapping that reads the objects around the record reads what their status says.
                !(member.key == "status" && read.contains(MappingValue.parentKey.text)),
                let reason = meaning.reason(for: member.value)
            else { continue }
            return (member.key.text, reason)
        }
        return nil
    }

    private static let meanings: [MappingKey: Meaning] = {
        var meanings: [MappingKey: Meaning] = [:]
        for (keys, meaning) in rows { for key in keys.split(separator: " ") { meanings[MappingKey(String(key))] = meaning } }
        return meanings
    }()
    private static let mask = meanings.keys.reduce(0) { $0 | $1.bit }

    private static let rows: [(String, Meaning)] = [
        ("isValid is_valid valid Valid", .unlessTrue("is marked as not valid")),
        ("isInvalid is_invalid invalid", .ifSet("is marked as not valid")),
        (
            "isDeleted is_deleted deleted Deleted _deleted isRemoved is_removed removed tombstone isTombstone deletedAt deleted_at voided",
            .ifSet("was deleted")
        ),
        ("action op operation _action", .oneOf(["remove", "removed", "delete", "deleted", "destroy"], "was deleted")),
        (
            "status recordStatus record_status",
            .oneOf(
                ["deleted", "removed", "entered-in-error", "cancelled", "canceled", "invalid", "void", "voided"], "was deleted or cancelled"
            )
        ),
        ("isTest is_test test simulated isSimulated is_simulated demo isDemo sandbox", .ifSet("is a test")),
        ("isGoal is_goal goal isTarget is_target", .ifSet("is a goal")),
        (
            "category kind recordType record_type",
            .oneOf(["goal", "goals", "target", "objective", "test", "control", "estimate"], "is none")
        ),
        ("type", .oneOf(["meal", "food", "drink", "recipe", "snack", "goal", "target"], "is none of a body")),
        ("sampleType sample_type sample", .oneOf(["control", "control solution", "control_solution", "qc"], "is a control solution's")),
        ("prime isPrime is_prime priming", .ifSet("filled a pump's tube")),
        ("isControl is_control controlSolution control_solution controlTest control_test", .ifSet("is a control solution's")),
        (
            "isEstimated is_estimated estimated isPredicted is_predicted predicted isInterpolated is_interpolated interpolated imputed",
            .ifSet("is estimated")
        ),
        ("worn isWorn is_worn onWrist on_wrist fingerDetected finger_detected", .unlessTrue("was taken while nobody wore the sensor")),
        (
            "leadOff lead_off leadsOff leads_off noFinger no_finger fingerOff finger_off sensorOff sensor_off probeOff probe_off",
            .ifSet("was taken while the sensor was off")
        ),
        ("calibrating isCalibrating", .ifSet("was taken while the sensor was calibrating")),
    ]
}

extension RecordStatus.Meaning {
    fileprivate func reason(for value: MappingValue) -> String? {
        switch self {
        case .unlessTrue(let reason): return value.isFalse ? reason : nil
        case .ifSet(let reason):
            if value.isTrue { return reason }
            return TimeShape.isTime(value) ? reason : nil
        case .oneOf(let words, let reason):
            guard case .string(let text) = value else { return nil }
            return words.contains(text.lowercased()) ? reason : nil
        }
    }
}

extension MappingValue {
    var isTrue: Bool {
        switch self {
        case .boolean(let isTrue): isTrue
        case .number(let number): number == 1
        case .string(let text): ["true", "1", "yes"].contains(text.lowercased())
        default: false
        }
    }

    var isFalse: Bool {
        switch self {
        case .boolean(let isTrue): !isTrue
        case .number(let number): number == 0
        case .string(let text): ["false", "0", "no"].contains(text.lowercased())
        default: false
        }
    }
}
