/// The two numbers of a blood pressure stand together or not at all, as of a live device.
extension FHIRReader {
    /// Takes back what a resource has given of a blood pressure where the other half was refused, or both are the wrong way round.
    /// - Parameters:
    ///   - first: the place of its first reading in the block.
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

    /// - Parameter readings: their places in the block, the last one first.
    private mutating func takeBack(_ readings: [Int], _ reason: String, _ place: ReadingCollector.Origin, _ block: inout ReadingBlock) {
        for reading in readings {
            _ = block.removeReading(at: reading)
            collector.account.accepted -= 1
            collector.refuse(reason, place, &block)
        }
    }
}
