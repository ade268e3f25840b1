import Access
import Foundation
import MessageBus
import Observability
import ServiceKit
import VigilSchema

/// Answers the requests to `vigil-import serve`, which come on `requests/<account>/import` and are checked by `GuardedRequests`.
///
/// A request that changes something is answered once that is durable. The work itself is done by `JobRunner`.
struct ImportRequests<Batches: AsyncSequence & Sendable>: Service where Batches.Element == MessageBatch {
    let batches: Batches
    let store: JobStore
    let ledger: any Ledger
    let present: PresentJobs
    let erasure: JobErasure
    let polls: PollRecords
    let replies: ReplyPublisher
    let trail: any AuditTrailWriting
    let instance: String
    let log: Logger

    func run() async throws {
        for try await batch in batches {
            for message in batch.messages where !message.retained { try await answer(message) }
            batch.settle(.committed)
        }
    }

    private func answer(_ message: IncomingMessage) async throws {
        guard let account = Topic.requester(of: message.topic, service: "import") else { return }
        let payload: [UInt8]
        do {
            guard let request = try? JSONDecoder().decode(ImportRequest.self, from: Data(message.payload)) else {
                throw JobRefusal.malformed("the request cannot be read: a member is missing or wrong")
            }
            payload = try await result(of: request, account)
        } catch let refusal as JobRefusal {
            payload = try Self.encoded(Refused(refusal))
        } catch {
            log.error("a request could not be carried out", ["error": "\(error)"])
            payload = try Self.encoded(Refused(JobRefusal(code: "failed", words: "it did not work; the service's log says why")))
        }
        guard let asked = message.properties.responseTopic,
            let topic = try? ReplyTopic(asked, correlation: message.properties.correlationData, of: .named(account))
        else { return }
        try await replies.publish([Reply(to: topic.path, correlation: topic.correlation, expiry: .seconds(60)) { payload }])
    }

    private func result(of request: ImportRequest, _ account: String) async throws -> [UInt8] {
        let now = Timestamp.now.seconds
        switch request.command {
        case "begin":
            let job = try await store.begin(
                name: try request.need(request.name, "name"), size: try request.need(request.size, "size"), account: account,
                actor: request.actor ?? account, now: now)
            try await tell(request, account, "\(job.id) \(job.size) bytes")
            return try Self.encoded(Began(job: job.id, piece: ImportRequest.mostBytes))
        case "append":
            guard let data = Data(base64Encoded: try request.need(request.data, "data")) else {
                throw JobRefusal.malformed("the data is no base64")
            }
            let received = try await store.append(
                data, at: try request.need(request.offset, "offset"), to: try request.need(request.job, "job"), account: account, now: now)
            return try Self.encoded(Received(received: received))
        case "survey", "try", "start": return try await step(request, account, now)
        case "jobs": return try await jobs(request, account)
        case "rejects": return try await rejects(request, account)
        case "undo":
            let id = try request.need(request.id, "id")
            guard let entry = try await ledger.entry(id: id) else {
                throw JobRefusal(code: "unknown-import", words: "the ledger has no such import")
            }
            guard entry.state != .undone else { throw JobRefusal.busy("it is undone already") }
            try await store.undo(id, actor: request.actor ?? account, now: now)
            try await tell(request, account, id)
            return try Self.encoded(Done())
        case "discard":
            try await store.discard(try request.need(request.job, "job"), account: account)
            return try Self.encoded(Done())
        case "sources": return try Self.encoded(PollList(sources: await polls.views))
        case "ask":
            let name = try request.need(request.name, "name")
            try await polls.wish(name, now: now)
            try await tell(request, account, name)
            return try Self.encoded(Done())
        case "erase": return try await erase(request, account)
        case "export": return try await export(request, account)
        default: throw JobRefusal.malformed("there is no operation \(request.command.prefix(40))")
        }
    }

    private func step(_ request: ImportRequest, _ account: String, _ now: Double) async throws -> [UInt8] {
        guard let step = ImportJob.Step(rawValue: request.command) else { throw JobRefusal.malformed("there is no such step") }
        let answers = request.answers ?? ImportAnswers()
        let job = try await store.want(step, answers, of: try request.need(request.job, "job"), account: account, now: now)
        if step == .start { try await tell(request, account, job.id, answers.participant) }
        return try Self.encoded(Done())
    }

    private func jobs(_ request: ImportRequest, _ account: String) async throws -> [UInt8] {
        let jobs: [ImportJob]
        if let id = request.job { jobs = [try await store.job(id, of: account)] } else { jobs = await store.all(of: account) }
        var shown: [JobView] = []
        for job in jobs {
            shown.append(JobView(job, received: await store.received(of: job.id), present: present[job.id], isWhole: request.job != nil))
        }
        let entries = request.job == nil ? try await ledger.all().suffix(JobView.mostEntries).reversed().map(\.total) : nil
        return try Self.encoded(JobList(jobs: shown, imports: entries, undos: await store.undos.values.sorted { $0.asked > $1.asked }))
    }

    /// The refused cells from a place on, whole lines where they fit.
    private func rejects(_ request: ImportRequest, _ account: String) async throws -> [UInt8] {
        let job = try await store.job(try request.need(request.job, "job"), of: account)
        let kind: UploadFolder.Kind = job.outcome == nil && job.wanted != .start ? .trialRejects : .rejects
        try await store.fetch(kind, of: job.id)
        let after = max(0, request.after ?? 0)
        var data = store.folder.read(kind, of: job.id, from: after, limit: ImportRequest.mostBytes)
        if data.count == ImportRequest.mostBytes {
            if let line = data.lastIndex(of: 0x0A) {
                data = data[...line]
            } else {
                while let last = data.last, last & 0xC0 == 0x80 { data.removeLast() }
                if let last = data.last, last & 0x80 != 0 { data.removeLast() }
            }
        }
        let next = after + data.count
        return try Self.encoded(
            RejectsPage(text: String(decoding: data, as: UTF8.self), next: next < store.folder.size(kind, of: job.id) ? next : nil))
    }

    private func export(_ request: ImportRequest, _ account: String) async throws -> [UInt8] {
        let participant = try request.need(request.participant, "participant")
        guard Name.isValid(participant) else { throw JobRefusal.malformed("the participant is no name") }
        let data = try await erasure.personalData(of: participant, imports: Set((request.imports ?? []).prefix(100_000)))
        if request.part ?? 0 == 0 { try await tell(request, account, nil, participant) }
        return try PersonalDataPart(of: data.json, part: request.part ?? 0, service: "vigil-import", instance: instance).encoded()
    }

    private func erase(_ request: ImportRequest, _ account: String) async throws -> [UInt8] {
        let participant = try request.need(request.participant, "participant")
        guard Name.isValid(participant) else { throw JobRefusal.malformed("the participant is no name") }
        let confirmation: ErasureConfirmation
        do {
            let removed = try await erasure.erase(participant, imports: Set((request.imports ?? []).prefix(100_000)))
            confirmation = ErasureConfirmation(service: "vigil-import", instance: instance, removed: removed)
            log.notice("a participant was erased", ["things": "\(removed.values.reduce(0, +))"])
        } catch {
            log.error("a participant could not be erased", ["error": "\(error)"])
            confirmation = ErasureConfirmation(service: "vigil-import", instance: instance, removed: [:], error: "\(error)")
        }
        try await tell(request, account, nil)
        return try confirmation.encoded()
    }

    /// Tells the audit trail what was taken. A file's name may say whose it is, and so is not told.
    private func tell(_ request: ImportRequest, _ account: String, _ detail: String?, _ participant: String? = nil) async throws {
        let signed = request.actor.map { $0.kept(128).printable.kept(128) } ?? account
        try await trail.write([
            AuditEntry(
                time: .now, actor: signed.isEmpty ? account : signed, address: request.address.map { $0.kept(128).printable.kept(128) },
                operation: "import-\(request.command)", participant: participant, detail: detail, outcome: "taken")
        ])
    }

    private static func encoded(_ value: some Encodable) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return [UInt8](try encoder.encode(value))
    }
}

extension ImportRequest {
    /// A member that the command cannot do without.
    fileprivate func need<Value>(_ value: Value?, _ name: String) throws(JobRefusal) -> Value {
        guard let value else { throw .malformed("\(command.prefix(40)) needs \(name)") }
        return value
    }
}
