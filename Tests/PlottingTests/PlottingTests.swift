import Foundation
import Testing

@testable import Plotting

@Suite("Plots")
struct PlottingTests {
    private func isPicture(_ bytes: [UInt8], width: UInt32, height: UInt32) -> Bool {
        // The PNG signature, then the header chunk with width and height in network order.
        let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        let size = bytes[16..<24].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return Array(bytes.prefix(8)) == signature && size == UInt64(width) << 32 | UInt64(height)
    }

    private let caption = PlotCaption(title: "Anna: ECG", subtitle: "today, UTC", unit: "mV")

    private func points(_ count: Int, _ value: (Double) -> Double) -> [TimePlot.Point] {
        (0..<count).map { second in
            let value = value(Double(second))
            return .init(time: 1.7e9 + Double(second), low: value, mean: value, high: value)
        }
    }

    private func plot(
        _ series: [TimePlot.Series], alarms: [TimePlot.Stretch] = [], _ size: PictureSize = PictureSize(width: 640, height: 300)
    ) throws -> [UInt8] {
        try TimePlot(caption: caption, series: series, range: 1.7e9...1.7e9 + 100, zone: .gmt, alarms: alarms).picture(size)
    }

    @Test("a plot over time is a PNG of the size asked for; gaps, bands, a second line and alarms are seen in it")
    func line() throws {
        let points = points(100) { sin($0 / 9) }
        let drawn = try plot([.init(label: "a", points: points)])
        #expect(isPicture(drawn, width: 640, height: 300))
        let empty = try plot([])
        #expect(isPicture(empty, width: 640, height: 300))
        let gapped = points.filter { $0.time < 1.7e9 + 40 || $0.time >= 1.7e9 + 60 }
        let banded = points.map { TimePlot.Point(time: $0.time, low: $0.low - 0.1, mean: $0.mean, high: $0.high + 0.1) }
        let pictures = [
            drawn, empty, try plot([.init(label: "a", points: gapped)]), try plot([.init(label: "a", points: banded)]),
            try plot([.init(label: "a", points: points), .init(label: "b", points: gapped)]),
            try plot([.init(label: "a", points: points)], alarms: [.init(from: 1.7e9 + 10, to: 1.7e9 + 20, label: "high")]),
        ]
        #expect(Set(pictures).count == pictures.count)
    }

    @Test("a picture can be finer, and a file of another format")
    func formats() throws {
        let series = [TimePlot.Series(label: "a", points: points(10) { $0 })]
        #expect(isPicture(try plot(series, PictureSize(width: 2000, height: 500, scale: 1.5)), width: 3000, height: 750))
        let svg = String(decoding: try plot(series, PictureSize(width: 640, height: 300, format: .svg)), as: UTF8.self)
        #expect(svg.contains("<svg") && svg.contains("width=\"640") && svg.hasSuffix("</svg>\n"))
        let pdf = try plot(series, PictureSize(width: 640, height: 300, format: .pdf))
        #expect(pdf.starts(with: Array("%PDF-".utf8)) && String(decoding: pdf.suffix(8), as: UTF8.self).contains("%%EOF"))
    }

    @Test("an electrocardiogram is as high as its rows on paper of 25 mm a second, also of nothing")
    func paper() throws {
        func paper(_ seconds: Double, _ samples: [Double]) throws -> (height: Int, bytes: [UInt8]) {
            let strip = ECGPaper.Strip(time: 1.7e9, period: 0.004, samples: samples)
            let bytes = try ECGPaper(caption: caption, strips: [strip], range: 1.7e9...1.7e9 + seconds, zone: .gmt).picture(PictureSize())
            return (bytes[20..<24].reduce(0) { $0 << 8 | Int($1) }, bytes)
        }
        let beat = (0..<2500).map { $0 % 250 == 0 ? 1.2 : 0 }
        let (one, three) = (try paper(10, beat), try paper(30, beat))
        #expect(three.height > 2 * one.height && one.bytes != three.bytes)
        #expect(try paper(10, []).height > 100)
    }

    @Test("a strip of texts and bars of any number are drawn, also of none")
    func others() throws {
        let stretches = (0..<9).map {
            TimePlot.Stretch(from: 1.7e9 + Double($0) * 10, to: 1.7e9 + Double($0) * 10 + 9, label: "state \($0)")
        }
        let strip = try StripPlot(caption: caption, stretches: stretches, range: 1.7e9...1.7e9 + 100, zone: .gmt).picture(PictureSize())
        let none = try StripPlot(caption: caption, stretches: [], range: 1.7e9...1.7e9 + 100, zone: .gmt).picture(PictureSize())
        #expect(isPicture(strip, width: 1000, height: 210) && strip != none)
        let year = (0..<366).map { BarPlot.Bar("\($0)", group: "2024", value: Double($0 % 7)) }
        #expect(isPicture(try BarPlot(caption: caption, bars: year).picture(PictureSize()), width: 1000, height: 420))
        let tiny = try BarPlot(caption: caption, bars: []).picture(PictureSize(width: 10, height: 10))
        #expect(isPicture(tiny, width: 10, height: 10))
    }

    @Test("units are as people write them")
    func units() {
        let units = [
            "1": "", "Cel": "°C", "mm[Hg]": "mmHg", "{steps}": "steps", "kg/m2": "kg/m²", "uS": "µS", "mg/dL": "mg/dL",
            "/min": "per minute",
        ]
        for (code, text) in units { #expect(PlotCaption.unit(code) == text) }
    }

    @Test(
        "values at the ends of what a number can be have marks too",
        arguments: [
            -Double.greatestFiniteMagnitude...Double.greatestFiniteMagnitude, 1.7e308...1.7e308, 0...1e-300,
            0...Double.leastNonzeroMagnitude,
            -Double.leastNonzeroMagnitude...Double.leastNonzeroMagnitude, 0...1e300,
        ])
    func extremeTicks(values: ClosedRange<Double>) throws {
        let ticks = AxisTicks(values, count: 5)
        #expect(ticks.step.isNormal && (2...12).contains(ticks.marks.count) && ticks.marks.allSatisfy(\.isFinite))
        #expect(ticks.marks.allSatisfy { !ticks.label($0).isEmpty })
    }

    @Test(
        "marks stand at round numbers that hold all values",
        arguments: [(0.0...9.7, 5, 2.0, "10"), (36.2...37.9, 4, 0.5, "38.0"), (-3.0...250.0, 5, 100.0, "300"), (5.0...5.0, 4, 0.2, "5.4")])
    func ticks(values: ClosedRange<Double>, count: Int, step: Double, last: String) {
        let ticks = AxisTicks(values, count: count)
        #expect(abs(ticks.step - step) < 1e-9)
        #expect(ticks.range.lowerBound <= values.lowerBound && ticks.range.upperBound >= values.upperBound)
        #expect(ticks.label(ticks.marks[ticks.marks.count - 1]) == last)
    }

    @Test("marks of time stand at midnight in the zone, also across the change to summer time")
    func timeTicks() throws {
        let berlin = try #require(TimeZone(identifier: "Europe/Berlin"))
        let start = 1_711_666_800.0  // 2024-03-29T00:00+01:00; summer time begins on the 31st
        let marks = TimeTicks(start...start + 4 * 86400, count: 4, zone: berlin).marks
        #expect(marks.map(\.label) == ["29 Mar", "30 Mar", "31 Mar", "1 Apr", "2 Apr"])
        #expect(marks.map(\.date) == ["2024", nil, nil, nil, nil])
        let newYear = TimeTicks(1_703_980_800...1_704_153_600, count: 4, zone: .gmt).marks  // 31 December to 2 January
        #expect(newYear.compactMap(\.date) == ["31 Dec 2023", "1 Jan 2024", "2 Jan 2024"])
        #expect(marks[3].time - marks[2].time == 23 * 3600)
    }

    @Test("large numbers are grouped, and days are told as days")
    func words() {
        let ticks = AxisTicks(0...80_000, count: 4)
        #expect(ticks.marks.map(ticks.label) == ["0", "20,000", "40,000", "60,000", "80,000"])
        #expect(AxisTicks(0...9000, count: 3).label(9000) == "9000")
        let zone = TimeZone(identifier: "Europe/Berlin")!
        // From midnight to midnight in Berlin, over the change of the clocks.
        #expect(PlotCaption.span(1_711_753_200...1_711_922_400, zone: zone) == "30 Mar 2024 – 31 Mar 2024, Europe/Berlin")
        #expect(PlotCaption.span(1_711_753_200...1_711_839_600, zone: zone) == "30 Mar 2024, Europe/Berlin")
        #expect(PlotCaption.span(1_711_753_200...1_711_922_400, zone: .gmt) == "29 Mar 2024 23:00 – 31 Mar 2024 22:00, UTC")
    }

    @Test("words on a colour can be read: at least 4.5 to 1, as WCAG 2.1 has it")
    func contrast() {
        func luminance(_ colour: Colour) -> Double {
            let parts = [colour.red, colour.green, colour.blue].map { $0 <= 0.04045 ? $0 / 12.92 : pow(($0 + 0.055) / 1.055, 2.4) }
            return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
        }
        for colour in Colour.series + [.muted] {
            let (one, other) = (luminance(colour), luminance(colour.contrast))
            #expect((max(one, other) + 0.05) / (min(one, other) + 0.05) >= 4.5, "\(colour)")
        }
    }

    @Test("a strip is low unless a height is asked for, and series of few points differ in their marks too")
    func stripsAndMarks() throws {
        let strip = StripPlot(
            caption: caption, stretches: [.init(from: 1.7e9, to: 1.7e9 + 50, label: "rest")], range: 1.7e9...1.7e9 + 100, zone: .gmt)
        #expect(isPicture(try strip.picture(PictureSize(width: 640)), width: 640, height: 210))
        #expect(isPicture(try strip.picture(PictureSize(width: 640, height: 300)), width: 640, height: 300))
        let marks = try Marker.allCases.map { marker in
            let canvas = try Canvas(PictureSize(width: 200, height: 100))
            canvas.colour(.ink)
            canvas.mark(marker, x: 50, y: 50, radius: 10)
            return try canvas.finished()
        }
        #expect(Set(marks).count == Marker.allCases.count)
    }
}

@Suite("Report documents")
struct ReportDocumentTests {
    private func pages(_ blocks: [ReportDocument.Block]) throws -> Int {
        let bytes = try ReportDocument(title: "Anna", subtitle: "week", footer: "Vigil", blocks: blocks).pdf()
        #expect(bytes.starts(with: Array("%PDF-".utf8)))
        let text = String(decoding: bytes, as: UTF8.self)
        return text.components(separatedBy: "/Type /Page %").count - 1
    }

    @Test("an electrocardiogram of ten seconds takes two rows of paper: three fit on a page, as high as they are")
    func paper() throws {
        let caption = PlotCaption(title: "Heart rate high", subtitle: "strap", unit: "mV")
        func paper(_ height: Double) -> ReportDocument.Block {
            let strip = ECGPaper.Strip(time: 1.7e9, period: 0.004, samples: (0..<2500).map { $0 % 250 == 0 ? height : 0 })
            return .paper(ECGPaper(caption: caption, strips: [strip], range: 1.7e9...1.7e9 + 10, zone: .gmt, moment: 1.7e9 + 5))
        }
        #expect(try pages([paper(1)]) == 1)
        #expect(try pages((0..<3).map { _ in paper(1) }) == 1)
        #expect(try pages((0..<6).map { _ in paper(1) }) == 2)
        // Four millivolts are higher paper.
        #expect(try pages((0..<6).map { _ in paper(4) }) == 6)
        #expect(try pages([paper(1e6)]) == 1)
    }

    @Test("flow over pages, and end where a stranger's texts would not")
    func flow() throws {
        let row = ["blood pressure", "120", "80"]
        let many = [[String]](repeating: row, count: 120)
        let long = String(repeating: "word ", count: 100_000)
        let wide = String(repeating: "x", count: 5000)
        let counts = try [
            pages([.heading("Values"), .table(header: row, rows: [row])]), pages([.table(header: row, rows: many)]),
            pages([.paragraph(long)]),
            pages([.facts([.init(wide, wide)])]),
        ]
        #expect(counts == [1, 3, 20, 1])
    }
}
