import Access
import AlertRules
import Foundation

extension AlertCore {
    /// Everything that `erase` would remove of a participant: facts, thresholds, the state of each rule, transitions,
    /// and pending notifications.
    func personalData(of participant: String) async throws -> PersonalData {
        var data = try await store.personalData(of: participant)
        guard let place = memory.engine.knownPlace(of: participant) else { return data }
        let rules = memory.engine.rules.rules.indices.map { memory.engine.explain(participant: place, rule: $0) }
        try data.add("alerts", [["profile": profile(place), "thresholds": thresholds(place), "rules": rules]])
        return data
    }

    private func profile(_ place: Int) -> [String: Any] {
        let facts = memory.engine.facts(ofParticipant: place)
        var profile: [String: Any] = ["pregnant": facts.isPregnant, "saturationScale": facts.usesScale2 ? 2 : 1]
        if let born = facts.born { profile["born"] = Double(born) / 1e6 }
        if let delivered = facts.delivered { profile["delivered"] = Double(delivered) / 1e6 }
        if let height = facts.height { profile["height"] = (height * 1000).rounded() / 10 }
        if let zone = memory.zones[place] { profile["zone"] = Int(zone) }
        return profile
    }

    private func thresholds(_ place: Int) -> [[String: Any]] {
        memory.engine.ownThresholds(of: place).map { ["rule": $0.rule, "severity": $0.severity.name, "value": $0.value] }
    }
}
