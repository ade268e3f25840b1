import Foundation
import Observability
import ServiceKit
import Settings
import Synchronization
import VigilSchema

/// One subscription of the service for all viewers: what comes from the bus goes into the picture and into the viewers' mailboxes.
///
/// Threading: from anywhere. A slow viewer costs the others nothing: mailboxes are bounded, and nothing here waits for one.
package final class LiveHub: Sendable {
    private struct State {
        var picture = LivePicture()
        var viewers: [Int: Viewer] = [:]
        var next = 0
        var modules: [String: String] = [:]
        var exchanges: [String: String] = [:]
    }

    private let state = Mutex(State())

    package init() {}

    /// The number of open streams.
    package var viewerCount: Int { state.withLock { $0.viewers.count } }

    /// The participants that were heard of.
    package var participants: Set<String> { state.withLock { Set($0.picture.people.keys) } }

    // MARK: Viewers

    /// Adds a viewer; it begins with a snapshot.
    func add(_ access: Viewer.Access) -> Viewer {
        state.withLock { state in
            state.next += 1
            let viewer = Viewer(number: state.next, access: access)
            state.viewers[state.next] = viewer
            return viewer
        }
    }

    func remove(_ viewer: Viewer) {
        state.withLock { $0.viewers[viewer.number] = nil }
        viewer.close()
    }

    /// Everything that the viewer may see, as JSON.
    func snapshot(_ access: Viewer.Access, now: Double) -> String {
        let (people, modules) = state.withLock { state in
            (state.picture.people.filter { access.sees($0.key) }, access.seesModules ? state.modules : [:])
        }
        let isOpen = !access.isPseudonymous
        let list = people.sorted { $0.key < $1.key }.map { name, person in
            let values = person.values.sorted { $0.key < $1.key }.map { LiveMessages.value($0.value, $0.key, isOpen: isOpen) }
                .joined(separator: ",")
            let alerts = person.alerts.sorted { $0.key < $1.key }
                .map { LiveMessages.alert($0.value, withTexts: isOpen) }.joined(separator: ",")
            let blocks = access.waves.contains(name) ? person.waves.sorted { $0.key < $1.key }.flatMap(\.value) : []
            let waves = blocks.map { LiveMessages.block($0, isOpen: isOpen) }.joined(separator: ",")
            return "{\"p\":\(ViewerMailbox.quoted(access.alias(name))),\"v\":[\(values)],\"alerts\":[\(alerts)],\"w\":[\(waves)]}"
        }
        let states = modules.sorted { $0.key < $1.key }.map(\.value).joined(separator: ",")
        return "{\"now\":\(now),\"people\":[\(list.joined(separator: ","))],\"modules\":[\(states)]}"
    }

    // MARK: What comes in

    /// Takes a canonical batch of live observations.
    func take(_ batch: ObservationBatch) {
        state.withLock { state in
            for group in batch.groups {
                for observation in group.observations { Self.take(observation, group, &state) }
            }
        }
    }

    /// The present view of a participant, as JSON; nil for one who is not known.
    func picture(of participant: String, pseudonyms: Pseudonyms, now: Double) -> String? {
        guard participants.contains(participant) else { return nil }
        let carer = Account(name: "export", roles: [.carer], participants: [participant])
        return snapshot(.init(account: carer, pseudonyms: pseudonyms, waves: [participant]), now: now)
    }

    /// Forgets a participant; false for one who is not known.
    func forget(_ participant: String) -> Bool { state.withLock { $0.picture.forget(participant) } }

    /// Forgets a metric's newest value, which was removed: viewers begin anew, with the value before it once the timeline has told.
    func forget(_ metric: String, of participant: String) {
        state.withLock { state in
            guard state.picture.people[participant]?.values.removeValue(forKey: metric) != nil else { return }
            state.picture.unfill(participant)
            for viewer in state.viewers.values where viewer.access.sees(participant) { viewer.put { $0.reset() } }
        }
    }

    /// Takes a value that the timeline remembers, unless a newer one is known.
    func take(remembered value: LivePicture.Value, _ metric: String, of participant: String) {
        state.withLock { Self.take(value, metric, of: participant, &$0) }
    }

    /// Takes an alert's present state; nil where it is over.
    func take(alert: AlertMessage?, _ rule: String, of participant: String) {
        state.withLock { state in
            state.picture.take(alert, rule, of: participant)
            let open = alert.map { LiveMessages.alert($0, withTexts: true) } ?? "null"
            let closed = alert.map { LiveMessages.alert($0, withTexts: false) } ?? "null"
            for viewer in state.viewers.values where viewer.access.sees(participant) {
                let text = viewer.access.isPseudonymous ? closed : open
                viewer.put { $0.put(alert: text, rule, of: participant) }
            }
        }
    }

    /// Takes a module's status, as JSON that was checked.
    func take(module json: String, named name: String) {
        state.withLock { state in
            guard state.modules[name] != nil || state.modules.count < 500 else { return }
            state.modules[name] = json
            for viewer in state.viewers.values where viewer.access.seesModules { viewer.put { $0.put(module: json, name) } }
        }
    }

    /// Asks whether the participant's past is still to be fetched; true once.
    func shouldFill(_ participant: String) -> Bool { state.withLock { $0.picture.fill(participant) } }
    func fillFailed(_ participant: String) { state.withLock { $0.picture.unfill(participant) } }

    /// The alerts that stand, of participants for whom `sees` holds.
    func alerts(where sees: (String) -> Bool) -> [(participant: String, alert: AlertMessage)] {
        state.withLock { state in
            state.picture.people.filter { sees($0.key) }.flatMap { name, person in person.alerts.values.map { (name, $0) } }
        }
    }

    /// The states of the modules, as JSON.
    var modules: [String] { state.withLock { $0.modules.sorted { $0.key < $1.key }.map(\.value) } }

    /// Whether an instance of a service says that it is there.
    func isOnline(_ service: String) -> Bool {
        struct Status: Decodable {
            let service: String
            let state: String
        }
        return modules.contains { json in
            let status = try? JSONDecoder().decode(Status.self, from: Data(json.utf8))
            return status?.service == service && status?.state == "online"
        }
    }

    /// Takes a service's list of parameters, as JSON that was checked.
    func take(exchange json: String, of service: String) {
        state.withLock { state in
            if state.exchanges[service] != nil || state.exchanges.count < 100 { state.exchanges[service] = json }
        }
    }

    /// The services' lists of parameters: members of an object.
    var exchanges: [String] {
        state.withLock { $0.exchanges.sorted { $0.key < $1.key }.map { "\(ViewerMailbox.quoted($0.key)):\($0.value)" } }
    }

    private static func take(_ observation: Observation, _ group: ObservationGroup, _ state: inout State) {
        guard case .samples(let samples, let period) = observation.content else {
            let value = LivePicture.Value(
                time: observation.time, source: group.source, content: observation.content, unit: observation.unit)
            return take(value, observation.metric, of: group.participant, &state)
        }
        let block = LivePicture.Block(
            metric: observation.metric, source: group.source, time: observation.time, period: period, samples: samples,
            unit: observation.unit)
        guard state.picture.take(block, of: group.participant) else { return }
        let watching = state.viewers.values.filter { $0.access.sees(group.participant) && $0.access.waves.contains(group.participant) }
        guard !watching.isEmpty else { return }
        let (open, closed) = (LiveMessages.block(block, isOpen: true), LiveMessages.block(block, isOpen: false))
        for viewer in watching {
            let json = viewer.access.isPseudonymous ? closed : open
            viewer.put { $0.put(wave: json, of: group.participant) }
        }
    }

    private static func take(_ value: LivePicture.Value, _ metric: String, of participant: String, _ state: inout State) {
        guard state.picture.take(value, metric, of: participant) else { return }
        var written: [Bool: String] = [:]
        for viewer in state.viewers.values where viewer.access.sees(participant) {
            let isOpen = !viewer.access.isPseudonymous
            let text = written[isOpen] ?? LiveMessages.value(value, metric, isOpen: isOpen)
            written[isOpen] = text
            viewer.put { $0.put(value: text, metric, of: participant) }
        }
    }
}
