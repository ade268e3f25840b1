/// The area under the ROC curve: how probable it is that a stressed window scores higher than a calm one.
package enum AreaUnderCurve {
    /// By ranks, ties counting half (H. B. Mann, D. R. Whitney, 1947); nil unless there are windows of both kinds.
    package static func of(_ windows: [(score: Double, isStress: Bool)]) -> Double? {
        let sorted = windows.sorted { $0.score < $1.score }
        let stressed = Double(sorted.count { $0.isStress })
        let calm = Double(sorted.count) - stressed
        guard stressed > 0, calm > 0 else { return nil }
        var (index, rankSum) = (0, 0.0)
        while index < sorted.count {
            var end = index
            while end < sorted.count, sorted[end].score == sorted[index].score { end += 1 }
            let rank = Double(index + end + 1) / 2
            rankSum += rank * Double(sorted[index..<end].count { $0.isStress })
            index = end
        }
        return (rankSum - stressed * (stressed + 1) / 2) / (stressed * calm)
    }
}
