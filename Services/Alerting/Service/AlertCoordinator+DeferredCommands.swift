import Access
import AlertRules
import MessageBus
import Observability
import ServiceKit
import VigilSchema

/// Deferred commands, which tasks of their own carry out, so that neither alarms nor the settling of a batch wait for
/// an answer.
extension AlertCoordinator {
    /// Starts a deferred command and returns at once.
    func take(_ deferredCommand: AlertCore.DeferredCommand) {
        let (handler, line) = (deferredCommand.handler, line(of: deferredCommand))
        let problem: String?
        switch deferredCommand.kind {
        case .reload: problem = reloads.add(handler) ? nil : "too many others ask for it already"
        case .test(let notifier):
            problem = feed.inbox(of: notifier)?.request(test(for: handler)) == true ? nil : "too many tests are waiting already"
        case .history, .why, .rules, .notifiers, .export: problem = handler.asker == nil ? nil : line.add(deferredCommand)
        case .erase: problem = line.add(deferredCommand)
        }
        if let problem { questions.add(refusal(of: deferredCommand, problem), to: handler.asker) }
    }

    private func line(of deferredCommand: AlertCore.DeferredCommand) -> FairRequestQueue {
        switch deferredCommand.kind {
        case .why, .rules, .notifiers, .reload, .test: questions
        case .history, .export, .erase: lookups
        }
    }

    private func refusal(of deferredCommand: AlertCore.DeferredCommand, _ problem: String) -> [Reply] {
        switch deferredCommand.kind {
        case .erase:
            let confirmation = ErasureConfirmation(service: "vigil-alert", instance: instance, removed: [:], error: problem)
            return deferredCommand.handler.reply(Self.text { try confirmation.encoded() })
        case .export:
            let part = PersonalDataPart(error: problem, service: "vigil-alert", instance: instance)
            return deferredCommand.handler.reply(Self.text { try part.encoded() })
        case .reload, .test, .history, .why, .rules, .notifiers: return deferredCommand.handler.reply(Self.verdict(problem))
        }
    }

    private func test(for handler: CommandHandler) -> NotifierInbox.Test {
        let actor = (try? handler.command.get().actor).flatMap { $0 } ?? "an operator"
        return NotifierInbox.Test(actor: actor.kept(200)) { [replies] result, isDelivered in
            let text = AlertCore.json(isDelivered ? ["ok": true, "lines": [result]] : ["ok": false, "error": result])
            // Fails only if the process ends.
            try? await replies.publish(handler.reply(text))
        }
    }

    /// Answers questions until it is drained. After a cancellation, pending ones stay unanswered.
    func answerQuestions() async {
        await withTaskGroup { tasks in
            for line in [questions, lookups] {
                tasks.addTask { [replies, log] in
                    await line.run { deferredCommand in
                        await self.reply(to: deferredCommand)
                    } publish: { answer in
                        do { try await replies.publish(answer) } catch { log.warning("a question was not answered", ["error": "\(error)"]) }
                    }
                }
            }
        }
    }

    /// Makes `answerQuestions` return once the pending questions are answered.
    func drainQuestions() { for line in [questions, lookups] { line.drain() } }

    func reply(to deferredCommand: AlertCore.DeferredCommand) async -> [Reply] {
        let handler = deferredCommand.handler
        switch deferredCommand.kind {
        case .erase:
            let confirmation = await erase(handler.participant)
            return handler.reply(Self.text { try confirmation.encoded() })
        case .export(let part):
            let given = await export(handler.participant, part: part)
            return handler.reply(Self.text { try given.encoded() })
        case .history: return handler.reply(await core.history(handler.participant, handler.rule))
        case .why:
            return handler.reply(
                await core.why(handler.participant, handler.rule, deliveries: feed.deliveries(of: "\(handler.participant)/\(handler.rule)"))
            )
        case .rules: return handler.reply(await core.rules())
        case .notifiers: return handler.reply(notifiersAnswer)
        case .reload, .test: return []
        }
    }

    /// Erases a participant, and returns what was removed.
    private func erase(_ participant: String) async -> ErasureConfirmation {
        do {
            let (erased, held) = try await mutex.withLock { [self] in try await takeAway(participant) }
            if let held { try await sharing?.held.waitUntilLeft(held) }
            let removed = erased.output.erasure?.erasure.removed ?? Erasure.Removed()
            let counts = ["alerts": erased.wasKnown ? 1 : 0, "transitions": removed.events, "notifications": removed.groups]
            return ErasureConfirmation(service: "vigil-alert", instance: instance, removed: counts)
        } catch {
            log.error("a participant could not be erased", ["error": "\(error)"])
            return ErasureConfirmation(service: "vigil-alert", instance: instance, removed: [:], error: "\(error)")
        }
    }

    /// Returns a part of a participant's data.
    private func export(_ participant: String, part: Int) async -> PersonalDataPart {
        do {
            let text = try await core.personalData(of: participant).json
            return PersonalDataPart(of: text, part: part, service: "vigil-alert", instance: instance)
        } catch {
            log.error("the data of a participant could not be given", ["error": "\(error)"])
            return PersonalDataPart(error: "\(error)", service: "vigil-alert", instance: instance)
        }
    }

    static func verdict(_ problem: String?) -> String {
        AlertCore.json(problem.map { ["ok": false, "error": $0] } ?? ["ok": true])
    }

    private static func text(_ encoded: () throws -> [UInt8]) -> String {
        // Numbers and texts only, so always valid JSON.
        (try? encoded()).map { String(decoding: $0, as: UTF8.self) } ?? verdict("the answer cannot be told")
    }

    /// The member that answers.
    var questionsMember: ServiceGroup.Member {
        ServiceGroup.Member("questions", draining: .request { self.drainQuestions() }) { await self.answerQuestions() }
    }
}
