import Access
import AlertRules
import Foundation
import SQLiteDatabase
import VigilSchema

extension AlertCore {
    /// Everything that `erase` would remove of a participant: facts and thresholds, what each rule remembers in words, transitions, and what
    /// notifiers have still to tell.
    func personalData(of participant: String) throws -> PersonalData {
        var data = try store.personalData(of: participant)
        guard let place = memory.engine.knownPlace(of: participant) else { return data }
        let rules = memory.engine.rules.rules.indices.map { memory.engine.explain(participant: place, rule: $0) }
        try data.add("alerts", [["profile": profile(place), "thresholds": thresholds(place), "rules": rules]])
        return data
    }

    private func profile(_ place: Int) -> [String: Any] {
        let facts = memory.engine.facts(ofParticipant: place)
        var profile: [String: Any] = ["pregnant": facts.isPregnant, "saturationScale": facts.usesScale2 ? 2 : 1]
        if let born = facts.born { profile["born"] = Double(born) / 1e6 }
        if let height = facts.height { profile["height"] = (height * 1000).rounded() / 10 }
        if let zone = memory.zones[place] { profile["zone"] = Int(zone) }
        return profile
    }

    private func thresholds(_ place: Int) -> [[String: Any]] {
        memory.engine.ownThresholds(of: place).map { ["rule": $0.rule, "severity": $0.severity.name, "value": $0.value] }
    }
}

extension AlertStore {
    /// A participant's transitions, scores that wait to be published, and what notifiers keep.
    func personalData(of participant: String) throws -> PersonalData {
        var data = PersonalData()
        let transitions = try history(participant: participant, rule: nil, limit: .max).reversed().compactMap { event in
            try JSONSerialization.jsonObject(with: Data(event)) as? [String: Any]
        }
        try data.add("transitions", transitions + waitingScores(of: participant))
        try data.add("notifications", groups(naming: participant))
        return data
    }

    private func waitingScores(of participant: String) throws -> [[String: Any]] {
        try batches().compactMap { _, batch in
            var own = batch
            own.groups.removeAll { $0.participant != participant }
            guard !own.groups.isEmpty else { return nil }
            return ["scores": try JSONSerialization.jsonObject(with: Data(BatchEncoder.encode(own)))]
        }
    }

    /// The groups of a participant alone, and of others the alerts of the participant that were told.
    private func groups(naming participant: String) throws -> [[String: Any]] {
        try notifierGroups().compactMap { group in
            let state = try JSONSerialization.jsonObject(with: Data(group.state)) as? [String: Any] ?? [:]
            if group.isOf(participant) { return ["notifier": group.notifier, "group": group.name, "state": state] }
            let told = (state["told"] as? [String] ?? []).filter { $0.hasPrefix("\(participant)/") }
            return told.isEmpty ? nil : ["notifier": group.notifier, "told": told]
        }
    }
}
