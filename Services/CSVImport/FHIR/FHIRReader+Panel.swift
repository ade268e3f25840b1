/// The two numbers of a blood pressure are imported together or not at all, as from a live device.
extension FHIRReader {
    /// Removes half of a blood pressure if the other half was refused, or both if they are swapped.
    /// - Parameters:
    ///   - first: the index of the resource's first reading in the block.
    ///   - refused: the number of the block's rejects before it.
    mutating func checkPressure(
        from first: Int, refused: Int, _ place: ReadingCollector.Origin, _ block: inout ReadingBlock
    ) {
        let halves = [PressurePair.systolic, PressurePair.diastolic].map { name in
            block.readings.indices.dropFirst(first).filter { collector.metrics[Int(block.readings[$0].metric)].name == name }
        }
        switch (halves[0].count, halves[1].count) {
        case (1, 1):
            let (high, low) = (block.readings[halves[0][0]], block.readings[halves[1][0]])
            guard high.text == AcceptedCell.noText, low.text == AcceptedCell.noText, high.value < low.value else { return }
            takeBack(halves.joined().sorted(by: >), PressurePair.reversed, place, &block)
        case (1, 0) where block.rejects.count > refused:
            takeBack(halves[0], PressurePair.alone(PressurePair.systolic), place, &block)
        case (0, 1) where block.rejects.count > refused:
            takeBack(halves[1], PressurePair.alone(PressurePair.diastolic), place, &block)
        default: break
        }
    }

    /// - Parameter readings: their indices in the block, in descending order.
    private mutating func takeBack(_ readings: [Int], _ reason: String, _ place: ReadingCollector.Origin, _ block: inout ReadingBlock) {
        for reading in readings {
            _ = block.removeReading(at: reading)
            collector.account.accepted -= 1
            collector.refuse(reason, place, &block)
        }
    }
}
