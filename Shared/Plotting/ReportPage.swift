/// The page of a report that is being filled, and those before it.
///
/// Threading: belongs to the caller; not shared.
final class ReportPage {
    /// A4 in points.
    static let width = 595
    static let height = 842
    private static let margin = 42.0
    private static let most = 20
    private static let line = 13.0
    private static let size = 9.5
    private static let plotHeight = 150.0
    private static let plotScale = 0.72
    private static let millimetre = 72 / 25.4
    /// So much paper fits between the margins, with its calibration mark.
    private static let secondsOfPaper = 5.0

    private let canvas: Canvas
    private let footer: String
    private var number = 1
    private var y = 0.0

    init(_ canvas: Canvas, footer: String) { (self.canvas, self.footer) = (canvas, footer) }

    /// A Boolean value that indicates whether no more pages are added: a report of strangers' texts has an end.
    var isFull: Bool { number >= Self.most }

    private var left: Double { Self.margin }
    private var right: Double { canvas.width - Self.margin }
    private var bottom: Double { canvas.height - Self.margin - 16 }

    func title(_ title: String, _ subtitle: String) {
        y = Self.margin + 14
        canvas.colour(.ink)
        canvas.text(fitted(title, right - left, 17), x: left, y: y, size: 17, isBold: true)
        y += 17
        canvas.colour(.muted)
        canvas.text(fitted(subtitle, right - left, 10), x: left, y: y, size: 10)
        y += 8
        rule()
        y += 8
    }

    /// A heading keeps some room below it, so that none stands alone at the foot of a page.
    /// - Parameter next: the height of what it stands over, where that is known.
    func heading(_ text: String, over next: Double = 0) {
        room(max(60, next + 30))
        y += 24
        canvas.colour(.ink)
        canvas.text(fitted(text, right - left, 12), x: left, y: y, size: 12, isBold: true)
        y += 6
    }

    func paragraph(_ text: String, isBold: Bool) {
        for line in wrapped(text, right - left, isBold: isBold) {
            room(Self.line)
            y += Self.line
            canvas.colour(.ink)
            canvas.text(line, x: left, y: y, size: Self.size, isBold: isBold)
        }
    }

    func fact(_ name: String, _ value: String) {
        let start = left + 150
        let lines = wrapped(value, right - start, isBold: false)
        room(Self.line * Double(min(lines.count, 3)))
        for (index, line) in lines.enumerated() {
            room(Self.line)
            y += Self.line
            if index == 0 {
                canvas.colour(.muted)
                canvas.text(fitted(name, 144, Self.size), x: left, y: y, size: Self.size)
            }
            canvas.colour(.ink)
            canvas.text(line, x: start, y: y, size: Self.size)
        }
    }

    /// The first column is as wide as two others.
    func table(_ header: [String], _ rows: [[String]]) {
        row(header, isHeader: true)
        for cells in rows where !isFull {
            if y + Self.line > bottom {
                nextPage()
                row(header, isHeader: true)
            }
            row(cells, isHeader: false)
        }
    }

    private func row(_ cells: [String], isHeader: Bool) {
        room(Self.line * (isHeader ? 2 : 1))
        y += Self.line + 1
        let unit = (right - left) / Double(cells.count + 1)
        var x = left
        for (index, cell) in cells.enumerated() {
            let width = index == 0 ? 2 * unit : unit
            canvas.colour(isHeader ? .muted : .ink)
            canvas.text(fitted(cell, width - 6, Self.size), x: x, y: y, size: Self.size, isBold: isHeader)
            x += width
        }
        if isHeader {
            y += 3
            rule()
        }
    }

    func plot(_ plot: TimePlot) {
        room(Self.plotHeight)
        y += 6
        canvas.part(x: left, y: y, width: right - left, height: Self.plotHeight, scale: Self.plotScale) {
            plot.draw(on: canvas)
        }
        y += Self.plotHeight
    }

    /// Rows of five seconds: a page is not broad enough for more at 25 mm a second.
    private func rows(_ paper: ECGPaper) -> ECGPaper.Rows {
        ECGPaper.Rows(paper, seconds: Self.secondsOfPaper, millimetre: Self.millimetre)
    }

    /// The height of a paper with its caption.
    func height(of paper: ECGPaper) -> Double { rows(paper).height + 2 * Self.line + 8 }

    func paper(_ paper: ECGPaper) {
        let rows = rows(paper)
        room(height(of: paper))
        guard y + rows.height <= bottom else { return }
        y += Self.line + 4
        canvas.colour(.ink)
        canvas.text(fitted(paper.caption.title, right - left, Self.size), x: left, y: y, size: Self.size, isBold: true)
        y += Self.line
        canvas.colour(.muted)
        canvas.text(fitted(paper.caption.subtitle, right - left, 8), x: left, y: y, size: 8)
        y += 4
        paper.draw(rows, x: left, y: y, on: canvas)
        y += rows.height
    }

    func finish() {
        canvas.colour(.muted)
        canvas.text(fitted(footer, right - left - 40, 8), x: left, y: canvas.height - Self.margin, size: 8)
        canvas.text("\(number)", x: right, y: canvas.height - Self.margin, size: 8, alignment: .right)
    }

    private func rule() {
        canvas.colour(.faint)
        canvas.line([(left, y), (right, y)])
    }

    private func room(_ height: Double) {
        guard y + height > bottom, !isFull else { return }
        nextPage()
    }

    private func nextPage() {
        finish()
        canvas.nextPage()
        number += 1
        y = Self.margin
    }

    /// The text in lines that fit, broken between words; a word that is wider is cut.
    private func wrapped(_ text: String, _ width: Double, isBold: Bool) -> [String] {
        // Bold letters are wider.
        let width = isBold ? width / 1.12 : width
        var lines: [String] = []
        var line = ""
        for word in text.split(whereSeparator: \.isWhitespace) {
            let longer = line.isEmpty ? String(word) : line + " " + word
            if canvas.textWidth(longer, size: Self.size) <= width || line.isEmpty {
                line = longer
            } else {
                lines.append(line)
                line = String(word)
            }
        }
        return (lines + [line]).map { fitted($0, width, Self.size) }
    }

    /// The text, or as much of its beginning as fits.
    private func fitted(_ text: String, _ width: Double, _ size: Double) -> String {
        guard canvas.textWidth(text, size: size) > width else { return text }
        // By halves: a stranger's text may be long.
        var (low, high) = (0, text.count)
        while low < high {
            let middle = (low + high + 1) / 2
            if canvas.textWidth(text.prefix(middle) + "…", size: size) <= width { low = middle } else { high = middle - 1 }
        }
        return text.prefix(low) + "…"
    }
}
