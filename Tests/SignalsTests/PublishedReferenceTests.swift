import Signals
import TestSupport
import Testing

/// NeuroKit's published values for its example recording `bio_resting_5min_100hz`.
@Suite("Published reference")
struct PublishedReferenceTests {
    /// The R peaks that NeuroKit 0.2.13 finds in it (`ecg_clean`, `ecg_peaks`, defaults), in samples of 10 ms. It misses the
    /// beat at 92.8 s, which is where half of its SDNN and RMSSD come from.
    private static let peaks: [Double] = [
        49, 107, 167, 227, 286, 347, 408, 470, 539, 613, 685, 750, 813, 878, 947, 1012, 1075, 1140, 1208, 1277, 1341, 1404, 1470, 1539,
        1611, 1677, 1741, 1808, 1875, 1945, 2010, 2073, 2136, 2204, 2274, 2342, 2408, 2478, 2555, 2633, 2701, 2767, 2834, 2903, 2972,
        3038, 3102, 3169, 3243, 3322, 3399, 3467, 3537, 3609, 3682, 3752, 3818, 3886, 3957, 4031, 4104, 4172, 4242, 4315, 4391, 4461,
        4530, 4602, 4677, 4752, 4820, 4889, 4959, 5031, 5102, 5170, 5235, 5303, 5374, 5448, 5526, 5596, 5667, 5739, 5814, 5887, 5956,
        6024, 6095, 6169, 6246, 6319, 6392, 6469, 6547, 6624, 6693, 6762, 6830, 6899, 6971, 7040, 7108, 7181, 7259, 7336, 7406, 7476,
        7547, 7619, 7690, 7758, 7828, 7903, 7981, 8055, 8124, 8189, 8253, 8317, 8388, 8464, 8542, 8621, 8699, 8769, 8839, 8912, 8988,
        9066, 9139, 9209, 9351, 9419, 9485, 9551, 9618, 9686, 9752, 9818, 9888, 9961, 10033, 10104, 10173, 10240, 10305, 10371, 10437,
        10504, 10572, 10638, 10706, 10776, 10848, 10917, 10983, 11050, 11118, 11185, 11252, 11314, 11376, 11437, 11500, 11572, 11652,
        11726, 11796, 11863, 11931, 11997, 12063, 12127, 12193, 12257, 12324, 12389, 12453, 12516, 12576, 12635, 12682, 12754, 12818,
        12885, 12957, 13031, 13104, 13174, 13242, 13306, 13368, 13430, 13498, 13572, 13654, 13740, 13823, 13897, 13971, 14047, 14123,
        14195, 14263, 14329, 14397, 14466, 14539, 14607, 14672, 14742, 14824, 14910, 14991, 15059, 15125, 15193, 15260, 15327, 15389,
        15450, 15514, 15583, 15653, 15718, 15782, 15848, 15918, 15990, 16062, 16129, 16193, 16261, 16330, 16396, 16463, 16533, 16605,
        16671, 16737, 16806, 16881, 16956, 17025, 17095, 17165, 17234, 17304, 17371, 17435, 17501, 17570, 17638, 17711, 17783, 17851,
        17922, 17993, 18061, 18126, 18194, 18263, 18332, 18400, 18472, 18547, 18615, 18686, 18761, 18834, 18908, 18976, 19041, 19109,
        19178, 19251, 19326, 19397, 19466, 19537, 19611, 19685, 19761, 19832, 19899, 19969, 20043, 20119, 20195, 20266, 20331, 20399,
        20468, 20541, 20616, 20685, 20756, 20829, 20906, 20979, 21045, 21113, 21182, 21255, 21330, 21402, 21471, 21546, 21623, 21698,
        21745, 21837, 21903, 21971, 22041, 22107, 22172, 22242, 22314, 22387, 22452, 22521, 22589, 22666, 22728, 22794, 22862, 22931,
        22999, 23061, 23121, 23157, 23237, 23295, 23352, 23413, 23475, 23542, 23608, 23675, 23749, 23824, 23898, 23966, 24035, 24104,
        24171, 24238, 24301, 24366, 24432, 24501, 24570, 24638, 24710, 24783, 24855, 24924, 24988, 25053, 25119, 25187, 25256, 25324,
        25394, 25461, 25524, 25589, 25656, 25726, 25781, 25861, 25923, 25986, 26045, 26112, 26169, 26238, 26309, 26376, 26442, 26511,
        26586, 26662, 26732, 26798, 26865, 26934, 27008, 27083, 27152, 27219, 27289, 27364, 27444, 27527, 27600, 27668, 27738, 27809,
        27884, 27960, 28031, 28100, 28175, 28258, 28343, 28417, 28487, 28560, 28635, 28711, 28783, 28851, 28919, 28991, 29068, 29147,
        29218, 29286, 29357, 29432, 29509, 29583, 29649, 29717, 29786, 29860, 29927, 29993,
    ]

    private static let intervals = zip(peaks.dropFirst(), peaks).map { 10 * ($0 - $1) }

    @Test("has the same heart rate, SDNN, RMSSD and pNN50 from the same beats, within 1 %")
    func variability() throws {
        let measures = try #require(HeartRateVariability(Self.intervals))
        #expect(abs(measures.heartRate / 86.16 - 1) < 0.01)
        #expect(abs(measures.sdnn / 64.78 - 1) < 0.01)
        #expect(abs(measures.rmssd / 76.48 - 1) < 0.01)
        #expect(abs(measures.pnn50 / 15.12 - 1) < 0.01)
    }

    @Test(
        "finds the beat that NeuroKit misses, and nearly all that it finds",
        .enabled(if: RecordedData.has("neurokit"), "\(RecordedData.hint)"))
    func beats() throws {
        let signal = try TestSignals.neurokit("bio_resting_5min_100hz.csv", column: 0)
        let found = TestSignals.beats(signal, rate: 100).map { Double($0.position) }
        let missed = Self.peaks.count { peak in !found.contains { abs($0 - peak) <= 7 } }
        // A few of its peaks are a noise beside the R wave.
        #expect(missed <= 3)
        #expect(found.count == Self.peaks.count + 1)
        #expect(found.contains { abs($0 - 9280) < 15 })
    }

    @Test("repairs the missed beat when the intervals are corrected")
    func corrected() throws {
        var cleaner = RRCleaner()
        var cleaned: [RRInterval] = []
        for (peak, interval) in zip(Self.peaks.dropFirst(), Self.intervals) {
            cleaner.push(milliseconds: interval, at: peak / 100, into: &cleaned)
        }
        let measures = try #require(HeartRateVariability(cleaned.map(\.milliseconds)))
        #expect(cleaned.count { $0.kind == .missedBeat } == 2)
        #expect(measures.sdnn < 52)
        #expect(measures.rmssd < 48)
    }

    @Test("counts the breaths that NeuroKit counts, 77 in five minutes", .enabled(if: RecordedData.has("neurokit"), "\(RecordedData.hint)"))
    func breaths() throws {
        let signal = try TestSignals.neurokit("bio_resting_5min_100hz.csv", column: 2)
        var detector = BreathDetector(rate: 100)
        var breaths: [Breath] = []
        detector.process(signal.span, into: &breaths)
        #expect(abs(breaths.count - 77) <= 4)
    }
}
