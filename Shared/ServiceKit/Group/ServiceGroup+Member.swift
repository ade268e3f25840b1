extension ServiceGroup {
    /// One service in a group: its name for logs and errors, and how it is drained.
    package struct Member: Sendable {
        /// For logs and errors, for example `consumer`.
        package let name: String
        let draining: Draining
        let run: @Sendable () async throws -> Void
        let started: @Sendable () async throws -> Void

        /// A member from a service.
        /// - Parameters:
        ///   - draining: what happens at its turn while the group drains.
        ///   - started: returns when the next member may start, for example once connected; at once by default.
        package init(
            _ name: String, _ service: any Service, draining: Draining = .cancel,
            started: @escaping @Sendable () async throws -> Void = {}
        ) {
            self.init(name, draining: draining, started: started) { try await service.run() }
        }

        /// A member from a function, for parts that are no `Service` themselves.
        package init(
            _ name: String, draining: Draining = .cancel, started: @escaping @Sendable () async throws -> Void = {},
            run: @escaping @Sendable () async throws -> Void
        ) {
            self.name = name
            self.draining = draining
            self.started = started
            self.run = run
        }
    }

    /// How a member is asked to finish.
    package enum Draining: Sendable {
        /// Its task is cancelled: it holds nothing that must be finished.
        case cancel
        /// Nothing: it returns by itself once the members after it have ended, as a loop over a consumer's batches does.
        case endsByItself
        /// The closure is called once; it returns at once, and `run` then finishes what is held and returns.
        case request(@Sendable () -> Void)
    }

    /// What happens in a group, for logs and the module's status.
    package enum Progress: Sendable, Equatable {
        case starting(String)
        case running
        /// Draining began, and why.
        case draining(Reason)
        case ended(String)
        /// The deadline passed: these members were cancelled.
        case cancelled([String])
    }

    /// Why a group drains.
    package enum Reason: Sendable, Equatable {
        case signal(Int32)
        case failed(String)
        case returned(String)
        /// The group's own task was cancelled.
        case cancelled
    }
}
