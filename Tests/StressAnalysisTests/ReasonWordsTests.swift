import Foundation
import Signals
import Testing

@testable import StressAnalysis

@Suite("The words of what cannot be said")
struct ReasonWordsTests {
    private static func said(_ language: String) throws -> [String: String] {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let file = root.appending(path: "Services/Dashboard/Web/lang/\(language).json")
        return try JSONDecoder().decode([String: String].self, from: Data(contentsOf: file)).filter { $0.key.hasPrefix("said.stress-") }
    }

    /// A heart that stands still, an electrode that is off, one that hums; breath that stops, and its sensor that is off.
    private static func reports() -> [WearerReport] {
        var still = DrawnHeart(seconds: 90), off = still, hum = still
        still.beat(from: 0.5, to: 40, every: 0.8)
        off.beat(from: 0.5, to: 90, every: 0.8)
        hum.beat(from: 0.5, to: 90, every: 0.8)
        off.flatten(from: 40, to: 60)
        hum.replace(from: 40, to: 60) { 2 * sin(2 * .pi * 8 * $0) }
        let breath = (0..<180 * 25).map { (index: Int) -> Double in
            if index >= 130 * 25 { return 0.2 }
            return index < 90 * 25 ? sin(Double(index) / 16) : 0.01 * sin(Double(index))
        }
        var reports = still.reports() + off.reports() + hum.reports()
        reports += DrawnSignal.reports(.airflow, breath, rate: 25)
        reports += DrawnSignal.reports(.ecg, breath, rate: 25)
        return reports
    }

    @Test("every page has them in its reader's language, as it takes them apart")
    func pages() throws {
        let reasons = Set(Self.reports().flatMap(\.reasons))
        #expect(reasons.count > 8 && reasons.contains("no beats in a good electrocardiogram"), "\(reasons)")
        let english = try Self.said("en")
        for reason in reasons {
            #expect(!reason.contains("; "))
            let key = try #require(english.first { $0.value == reason }?.key, "\(reason)")
            for language in ["de", "ru"] { #expect(try Self.said(language)[key].map { $0 != reason } ?? false, "\(language): \(reason)") }
        }
    }
}
