/// A document of text, tables and plots on A4 pages, as a PDF.
///
/// Blocks flow from top to bottom; one that has no room begins another page. Texts of strangers are cut to what a page can bear.
package struct ReportDocument: Sendable {
    /// A piece of the document.
    package enum Block: Sendable {
        /// A title within the document.
        case heading(String)
        /// A paragraph.
        case paragraph(String, isBold: Bool = false)
        /// Names with what is known of each.
        case facts([Fact])
        /// Columns with a header.
        case table(header: [String], rows: [[String]])
        /// Numbers over time, over the whole width.
        case plot(TimePlot)
        /// An electrocardiogram on millimetre paper, true to size.
        case paper(ECGPaper)
    }

    /// A name and what is known of it.
    package struct Fact: Sendable, Hashable {
        package let name: String
        package let value: String

        package init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }
    }

    private let title: String
    private let subtitle: String
    private let footer: String
    private let blocks: [Block]

    /// - Parameters:
    ///   - subtitle: a line below the title.
    ///   - footer: stands at the foot of each page, before its number.
    package init(title: String, subtitle: String, footer: String, blocks: [Block]) {
        (self.title, self.subtitle, self.footer, self.blocks) = (title, subtitle, footer, blocks)
    }

    /// The PDF's bytes.
    package func pdf() throws(PlotError) -> [UInt8] {
        let canvas = try Canvas(PictureSize(width: ReportPage.width, height: ReportPage.height, format: .pdf), title: title)
        let page = ReportPage(canvas, footer: footer)
        page.title(title, subtitle)
        for (index, block) in blocks.enumerated() where !page.isFull {
            if case .heading(let text) = block, index + 1 < blocks.count, case .paper(let paper) = blocks[index + 1] {
                page.heading(text, over: page.height(of: paper))
            } else {
                draw(block, on: page)
            }
        }
        page.finish()
        return try canvas.finished()
    }

    private func draw(_ block: Block, on page: ReportPage) {
        switch block {
        case .heading(let text): page.heading(text)
        case .paragraph(let text, let isBold): page.paragraph(text, isBold: isBold)
        case .facts(let facts): for fact in facts { page.fact(fact.name, fact.value) }
        case .table(let header, let rows): page.table(header, rows)
        case .plot(let plot): page.plot(plot)
        case .paper(let paper): page.paper(paper)
        }
    }
}
