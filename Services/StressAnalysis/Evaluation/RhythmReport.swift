extension EvaluationReport {
    /// Classes of beats and rhythms against annotations.
    package struct Rhythm: Encodable, Sendable {
        package var records: [Record]
        /// Records on which the weights were found, those kept apart, and those with a pacemaker, which count for neither.
        package var training, test, paced: Score
        /// The 95 % intervals of all records without a pacemaker and of those kept apart: percentiles of the shares in 2000 draws of as many records.
        package var intervals, test_intervals: Intervals

        /// One record.
        package struct Record: Encodable, Sendable {
            package var record: String
            package var score: Score
        }

        /// The classes of AAMI EC57 in the order of the matrix's rows; the last row has the beats that are none.
        static let truths = ["N", "S", "V", "F", "Q", "none"]
        /// The answers, in the order of its columns.
        static let answers = ["N", "S", "V", "unknown", "missed"]

        /// Counts, of which everything else follows.
        package struct Score: Encodable, Sendable {
            package var matrix = [[Int]](repeating: [Int](repeating: 0, count: answers.count), count: truths.count)
            /// Seconds; flutter counts for neither.
            package var fibrillation = Count()
            /// Annotated episodes of fibrillation of 60 s and more, and for each that was found the seconds by which its beginning is late.
            package var episodes = 0
            package var onsets: [Double] = []
            /// Five ventricular beats and more in a row.
            package var runs = Count()
            package var hours = 0.0

            package var ventricular: Count { count(of: 2, ignoring: [3, 4]) }
            package var supraventricular: Count { count(of: 1, ignoring: [4]) }

            /// The answers for one class; the beats of some others count for nothing.
            private func count(of own: Int, ignoring others: Set<Int>) -> Count {
                var count = Count()
                for (row, answers) in matrix.enumerated() where !others.contains(row) {
                    let positive = answers[own], all = answers.reduce(0, +)
                    if row == own { count.add(hits: positive, missed: all - positive) } else { count.false_alarms += positive }
                    if row != own { count.right_rejections += all - positive }
                }
                return count
            }
        }

        /// Right and wrong answers.
        package struct Count: Encodable, Sendable {
            package var hits = 0, missed = 0, false_alarms = 0, right_rejections = 0

            package var sensitivity: Double { Double(hits) / Double(max(1, hits + missed)) }
            package var precision: Double { Double(hits) / Double(max(1, hits + false_alarms)) }
            package var specificity: Double { Double(right_rejections) / Double(max(1, right_rejections + false_alarms)) }

            mutating func add(hits: Int, missed: Int) {
                self.hits += hits
                self.missed += missed
            }

            mutating func add(_ answer: Bool, truth: Bool) {
                switch (answer, truth) {
                case (true, true): hits += 1
                case (false, true): missed += 1
                case (true, false): false_alarms += 1
                case (false, false): right_rejections += 1
                }
            }

            static func += (left: inout Self, right: Self) {
                left.hits += right.hits
                left.missed += right.missed
                left.false_alarms += right.false_alarms
                left.right_rejections += right.right_rejections
            }
        }

        /// Lower and upper ends of shares, over the draws that have any; empty where none has.
        package struct Intervals: Encodable, Sendable {
            package var ventricular_se, ventricular_ppv, supraventricular_se, supraventricular_ppv: [Double]
            package var fibrillation_se, fibrillation_sp: [Double]
        }
    }
}

extension EvaluationReport.Rhythm.Score {
    static func += (left: inout Self, right: Self) {
        for row in left.matrix.indices {
            for column in left.matrix[row].indices { left.matrix[row][column] += right.matrix[row][column] }
        }
        left.fibrillation += right.fibrillation
        left.episodes += right.episodes
        left.onsets += right.onsets
        left.runs += right.runs
        left.hours += right.hours
    }
}

extension EvaluationReport.Rhythm.Intervals {
    private static let draws = 2000

    /// Draws as many records as there are, again and again.
    init(_ records: [EvaluationReport.Rhythm.Score]) {
        var state: UInt64 = 57
        let sums = (0..<(records.isEmpty ? 0 : Self.draws)).map { _ in
            var sum = EvaluationReport.Rhythm.Score()
            for _ in records {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                sum += records[Int(state >> 33) % records.count]
            }
            return sum
        }
        let ends = { (count: (EvaluationReport.Rhythm.Score) -> (hits: Int, others: Int)) -> [Double] in
            var shares: [Double] = []
            for sum in sums {
                let (hits, others) = count(sum)
                if hits + others > 0 { shares.append(Double(hits) / Double(hits + others)) }
            }
            shares.sort()
            return shares.isEmpty ? [] : [shares[shares.count / 40], shares[shares.count - 1 - shares.count / 40]]
        }
        self.init(
            ventricular_se: ends { ($0.ventricular.hits, $0.ventricular.missed) },
            ventricular_ppv: ends { ($0.ventricular.hits, $0.ventricular.false_alarms) },
            supraventricular_se: ends { ($0.supraventricular.hits, $0.supraventricular.missed) },
            supraventricular_ppv: ends { ($0.supraventricular.hits, $0.supraventricular.false_alarms) },
            fibrillation_se: ends { ($0.fibrillation.hits, $0.fibrillation.missed) },
            fibrillation_sp: ends { ($0.fibrillation.right_rejections, $0.fibrillation.false_alarms) })
    }
}
