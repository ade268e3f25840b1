import Access
import AlertRules
import Foundation

extension AlertCore {
    /// Everything that `erase` would remove of a participant: facts, thresholds, the state of each rule, transitions,
    /// and pending notifications.
    func personalData(of participant: String) async throws -> PersonalData {
        var data = try await store.personalData(of: participant)
        guard let index = memory.engine.knownIndex(of: participant) else { return data }
        let rules = memory.engine.rules.rules.indices.map { memory.engine.explain(participant: index, rule: $0) }
        try data.add("alerts", [["profile": profile(index), "thresholds": thresholds(index), "rules": rules]])
        return data
    }

    private func profile(_ index: Int) -> [String: Any] {
        let facts = memory.engine.facts(ofParticipant: index)
        var profile: [String: Any] = ["pregnant": facts.isPregnant, "saturationScale": facts.usesScale2 ? 2 : 1]
        if let born = facts.born { profile["born"] = Double(born) / 1e6 }
        if let delivered = facts.delivered { profile["delivered"] = Double(delivered) / 1e6 }
        if let height = facts.height { profile["height"] = (height * 1000).rounded() / 10 }
        if let zone = memory.zones[index] { profile["zone"] = Int(zone) }
        return profile
    }

    private func thresholds(_ index: Int) -> [[String: Any]] {
        memory.engine.ownThresholds(of: index).map { ["rule": $0.rule, "severity": $0.severity.name, "value": $0.value] }
    }
}
