extension AlertCore {
    /// What an earlier process decided but may not have published.
    package func leftOver() throws -> Output {
        let kept = try store.unpublished()
        return Output(messages: kept.map(Self.message), answers: marker(), last: kept.last?.id ?? 0)
    }

    /// What was published lately: the broker may have forgotten it. Noted as published already, it is not kept longer for it.
    func repeated() throws -> Output { Output(messages: try store.unpublished().suffix(4096).map(Self.message)) }

    /// Everything up to there was acknowledged by the broker at `now`, in microseconds.
    package func published(_ output: Output, at now: Int64) { acknowledged.note(output.last, at: now) }
}
