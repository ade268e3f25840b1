extension AlertEngine {
    /// Carries out a command. A repeated one changes nothing and brings no event.
    package mutating func apply(
        _ request: AlertRequest, to participant: Int, rule: Int, now: Int64, into output: inout EngineOutput
    ) throws(CommandError) {
        var step = begin(participant, now: now)
        let booked = participants[participant].booked
        try participants[participant].apply(request, rule: rule, name: names[participant], rules, &step)
        participants[participant].book(rule, rules, &step)
        finish(step, participant, &output, isBooked: booked)
    }
}
