import Observability

/// One run of a group: carries out what `GroupProgress` asks for.
struct GroupRun {
    private enum Event: Sendable {
        case started(Int)
        case ended(Int, (any Error)?)
        case stop(ServiceGroup.Reason)
        case deadline
        case nothing
    }

    private let group: ServiceGroup
    private let cancels: [Latch]
    private var progress = GroupProgress()
    private var reason: ServiceGroup.Reason?
    private var failure: (any Error)?
    private var isFinished = false
    /// The number of members that were started.
    private var started = 0

    init(group: ServiceGroup) {
        self.group = group
        cancels = group.members.map { _ in Latch() }
    }

    mutating func run(stops: StopSignals) async throws {
        await withTaskGroup(of: Event.self) { tasks in
            tasks.addTask { await stops.first().map { .stop(.signal($0)) } ?? .stop(.cancelled) }
            start(0, in: &tasks)
            while !isFinished, let event = await tasks.next() { handle(event, in: &tasks) }
            tasks.cancelAll()
        }
        if let failure { throw failure }
    }

    private mutating func start(_ index: Int, in tasks: inout TaskGroup<Event>) {
        guard index < group.members.count else { return group.onProgress(.running) }
        let member = group.members[index]
        let cancel = cancels[index]
        group.onProgress(.starting(member.name))
        progress.started(index)
        started = index + 1
        tasks.addTask { await Self.outcome(of: member, index, cancel: cancel) }
        tasks.addTask {
            do {
                try await member.started()
                return .started(index)
            } catch {
                // The member's own failure says more than the wait for it; it ends the group.
                return .nothing
            }
        }
    }

    private mutating func handle(_ event: Event, in tasks: inout TaskGroup<Event>) {
        switch event {
        case .started(let index):
            if !progress.isDraining { start(index + 1, in: &tasks) }
        case .ended(let index, let error):
            end(index, error, in: &tasks)
        case .stop(let reason):
            drain(reason, in: &tasks)
            perform(progress.stop())
        case .deadline:
            perform(progress.deadlinePassed())
        case .nothing: break
        }
    }

    private mutating func end(_ index: Int, _ error: (any Error)?, in tasks: inout TaskGroup<Event>) {
        let name = group.members[index].name
        // What a member throws because it was cancelled is no failure; its first real error is.
        let wasCancelled = cancels[index].isOpen || Task.isCancelled
        if let error, !wasCancelled, failure == nil { failure = error }
        group.onProgress(.ended(name))
        drain(error == nil ? .returned(name) : .failed(name), in: &tasks)
        perform(progress.ended(index))
    }

    private mutating func drain(_ reason: ServiceGroup.Reason, in tasks: inout TaskGroup<Event>) {
        guard self.reason == nil else { return }
        self.reason = reason
        group.onProgress(.draining(reason))
        // What was started may wait for these, as a loop over the batches of a consumer does.
        for index in group.members.indices.dropFirst(started).reversed() { ask(index) }
        let deadline = group.deadline
        tasks.addTask {
            try? await ContinuousClock().sleep(for: deadline)
            return .deadline
        }
    }

    private mutating func perform(_ actions: [GroupProgress.Action]) {
        for action in actions {
            switch action {
            case .drain(let index): ask(index)
            case .cancel(let late):
                group.onProgress(.cancelled(late.map { group.members[$0].name }))
                for index in late { cancels[index].open() }
            case .finish: isFinished = true
            }
        }
    }

    private func ask(_ index: Int) {
        switch group.members[index].draining {
        case .cancel: cancels[index].open()
        case .endsByItself: break
        case .request(let request): request()
        }
    }

    /// Runs the member until it ends; the latch cancels it alone.
    private static func outcome(of member: ServiceGroup.Member, _ index: Int, cancel: Latch) async -> Event {
        await withTaskGroup(of: Result<Void, any Error>?.self) { tasks in
            tasks.addTask {
                do {
                    try await member.run()
                    return .success(())
                } catch {
                    return .failure(error)
                }
            }
            tasks.addTask {
                await cancel.wait()
                return nil
            }
            var error: (any Error)?
            while let result = await tasks.next() {
                tasks.cancelAll()
                if case .failure(let thrown) = result { error = thrown }
            }
            return .ended(index, error)
        }
    }
}
