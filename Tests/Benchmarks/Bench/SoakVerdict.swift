/// Compares the last third of a soak with its first, the very first window left out, in which everything warms up.
struct SoakVerdict {
    private let early: ArraySlice<Soak.Window>
    private let late: ArraySlice<Soak.Window>

    init(_ windows: [Soak.Window]) {
        let warm = windows.dropFirst()
        early = warm.prefix(max(1, warm.count / 3))
        late = warm.suffix(max(1, warm.count / 3))
    }

    /// What grew.
    var problems: [String] {
        var problems: [String] = []
        let (before, after) = (early.map(\.median).median, late.map(\.median).median)
        if after > 1.5 * before + 1 { problems.append("the median latency went from \(Table.number(before)) to \(Table.number(after)) ms") }
        let (tailBefore, tailAfter) = (early.map(\.tail).median, late.map(\.tail).median)
        if tailAfter > 2 * tailBefore + 5 {
            problems.append("the latency of the slowest hundredth went from \(Table.number(tailBefore)) to \(Table.number(tailAfter)) ms")
        }
        for service in (late.last?.memory ?? [:]).keys.sorted() { problems += growth(of: service) }
        return problems
    }

    private func growth(of service: String) -> [String] {
        let memory = { (windows: ArraySlice<Soak.Window>) in windows.compactMap { $0.memory[service] }.median }
        let files = { (windows: ArraySlice<Soak.Window>) in windows.compactMap { $0.descriptors[service].map(Double.init) }.median }
        var problems: [String] = []
        // Caches of pages and of names may fill a little further.
        if memory(late) > 1.1 * memory(early) + 2 {
            problems.append("\(service) went from \(Table.number(memory(early))) to \(Table.number(memory(late))) MB")
        }
        if files(late) > files(early) { problems.append("\(service) went from \(files(early)) to \(files(late)) open files") }
        return problems
    }
}
