package import VigilSchema

extension TimelineStore {
    /// The entries, alerts and replaced values that a complete export holds besides observations and profile, one by one, in constant memory.
    package func forEachRecord(of participant: String, _ body: (TimelineRecord) throws -> Void) async throws {
        let (first, last) = (Timestamp(microseconds: RetentionSQL.earliest), Timestamp(microseconds: 253_402_300_799_999_999))
        let receipts = try await entryReceipts(participant: participant)
        var after: EntryCursor?
        repeat {
            let page = try await entries(
                participant: participant, from: first, to: last, kinds: [], limit: 1000, bytes: 1 << 20, after: after)
            for entry in page.entries { try body(.entry(entry, received: receipts[entry.id])) }
            after = page.next
        } while after != nil
        var offset = 0
        while case let alerts = try await alerts(participant: participant, from: first, to: last, limit: 1000, offset: offset),
            !alerts.isEmpty
        {
            for alert in alerts { try body(.alert(alert)) }
            offset += alerts.count
        }
        var number: Int64 = 0
        while case let values = try await corrections(participant: participant, after: number), let end = values.last {
            for value in values { try body(.replaced(value)) }
            number = end.number
        }
    }

    /// Puts records back, each once. Of a profile the members that the record has take the place of those that are known.
    ///
    /// They must be valid. Throws `StoreError`; what was put back until then stays, and doing it again changes nothing.
    package func restore(_ records: [TimelineRecord], participant: String, origin: String?, now: Timestamp) async throws(StoreError) {
        var (alerts, values): ([AlertMessage], [ReplacedValue]) = ([], [])
        for record in records {
            switch record.moved(to: participant) {
            case .profile(let profile):
                let known = try await self.profile(participant: participant) ?? ParticipantProfile()
                let merged = profile.completed(by: known)
                if merged != known { try await setProfile(merged, participant: participant) }
            case .entry(let entry, let received):
                try await post(entry, participant: participant, received: min(received ?? now, now), origin: origin)
            case .alert(let alert): alerts.append(alert)
            case .replaced(let value): values.append(value)
            }
        }
        if !alerts.isEmpty { _ = try await append(alerts: alerts) }
        if !values.isEmpty { _ = try await restore(values, participant: participant, origin: origin) }
    }
}

extension ParticipantProfile {
    /// The profile, and for what it does not say what another says.
    package func completed(by other: ParticipantProfile) -> ParticipantProfile {
        ParticipantProfile(
            first: first ?? other.first, last: last ?? other.last, pseudonym: pseudonym ?? other.pseudonym,
            birthDate: birthDate ?? other.birthDate, sex: sex ?? other.sex, timeZone: timeZone ?? other.timeZone,
            height: height ?? other.height, isPregnant: isPregnant ?? other.isPregnant, group: group ?? other.group,
            order: order ?? other.order, modules: modules ?? other.modules)
    }
}
