import CCairo
import Foundation

/// The file formats of a picture.
package enum PictureFormat: String, Sendable, CaseIterable {
    case png, svg, pdf
}

/// The size and format of a picture.
package struct PictureSize: Sendable, Hashable {
    /// A size that fits on a page or a screen: text of such a picture is read without a magnifier.
    private static let readable = 1000.0

    package var width: Int
    package var height: Int
    /// Pixels a unit of width and height, for screens and prints that are finer.
    package var scale: Double
    package var format: PictureFormat
    /// A Boolean value that indicates whether the height follows from what is drawn.
    package var isHeightFree: Bool

    /// - Parameters:
    ///   - width: in pixels, or points of a PDF.
    ///   - height: nil: as broad pictures are.
    package init(width: Int = 1000, height: Int? = nil, scale: Double = 1, format: PictureFormat = .png) {
        self.width = width
        self.height = height ?? width * 21 / 50
        isHeightFree = height == nil
        self.scale = scale
        self.format = format
    }

    /// By how much everything grows with a width beyond the readable one, so that a large picture is not one of tiny letters.
    var growth: Double { Swift.max(1, Double(width) / Self.readable) }
}

/// A white picture to draw on, with cairo. Coordinates count from the upper left in units of a thousandth of the width, or pixels where it has less.
///
/// Threading: belongs to the caller; not shared.
@safe final class Canvas {
    /// The way a text stands to its point.
    enum Alignment { case left, centre, right }

    private(set) var width: Double
    private(set) var height: Double
    private let size: PictureSize
    private let sink = ByteSink()
    private let surface: OpaquePointer
    private let context: OpaquePointer

    init(_ size: PictureSize, title: String = "") throws(PlotError) {
        self.size = size
        width = Double(size.width) / size.growth
        height = Double(size.height) / size.growth
        unsafe surface = Self.surface(size, sink)
        unsafe context = cairo_create(surface)
        let status = unsafe cairo_surface_status(surface)
        guard status == CAIRO_STATUS_SUCCESS else { throw Canvas.error(status) }
        if size.format == .pdf { unsafe cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_TITLE, title) }
        let factor = size.growth * (size.format == .png ? size.scale : 1)
        unsafe cairo_scale(context, factor, factor)
        colour(.white)
        unsafe cairo_paint(context)
        font(isBold: false)
    }

    deinit {
        unsafe cairo_destroy(context)
        unsafe cairo_surface_destroy(surface)
    }

    private static func surface(_ size: PictureSize, _ sink: ByteSink) -> OpaquePointer {
        let closure = unsafe Unmanaged.passUnretained(sink).toOpaque()
        let (width, height) = (Double(size.width), Double(size.height))
        switch size.format {
        case .png:
            return unsafe cairo_image_surface_create(
                CAIRO_FORMAT_RGB24, Int32((width * size.scale).rounded()), Int32((height * size.scale).rounded()))
        case .svg: return unsafe cairo_svg_surface_create_for_stream(write, closure, width, height)
        case .pdf: return unsafe cairo_pdf_surface_create_for_stream(write, closure, width, height)
        }
    }

    private static let write: cairo_write_func_t = { closure, bytes, count in
        guard let closure = unsafe closure, let bytes = unsafe bytes else { return CAIRO_STATUS_WRITE_ERROR }
        let sink = unsafe Unmanaged<ByteSink>.fromOpaque(closure).takeUnretainedValue()
        unsafe sink.bytes.append(contentsOf: UnsafeBufferPointer(start: bytes, count: Int(count)))
        return CAIRO_STATUS_SUCCESS
    }

    // MARK: Drawing

    func colour(_ colour: Colour, opacity: Double = 1) {
        unsafe cairo_set_source_rgba(context, colour.red, colour.green, colour.blue, opacity)
    }

    /// A line through the points, `thickness` units wide.
    func line(_ points: [(x: Double, y: Double)], thickness: Double = 1) {
        guard let first = points.first else { return }
        unsafe cairo_set_line_width(context, thickness)
        unsafe cairo_set_line_join(context, CAIRO_LINE_JOIN_ROUND)
        unsafe cairo_move_to(context, first.x, first.y)
        for point in points.dropFirst() { unsafe cairo_line_to(context, point.x, point.y) }
        unsafe cairo_stroke(context)
    }

    /// A filled area within the points.
    func area(_ points: [(x: Double, y: Double)]) {
        guard let first = points.first else { return }
        unsafe cairo_move_to(context, first.x, first.y)
        for point in points.dropFirst() { unsafe cairo_line_to(context, point.x, point.y) }
        unsafe cairo_close_path(context)
        unsafe cairo_fill(context)
    }

    func fillRectangle(x: Double, y: Double, width: Double, height: Double) {
        unsafe cairo_rectangle(context, x, y, width, height)
        unsafe cairo_fill(context)
    }

    /// A filled mark of about the same area whatever its shape.
    func mark(_ marker: Marker, x: Double, y: Double, radius: Double) {
        switch marker {
        case .circle:
            unsafe cairo_arc(context, x, y, radius, 0, 2 * .pi)
            unsafe cairo_fill(context)
        case .square: fillRectangle(x: x - radius * 0.9, y: y - radius * 0.9, width: radius * 1.8, height: radius * 1.8)
        case .triangle: area([(x, y - radius * 1.3), (x + radius * 1.2, y + radius * 0.9), (x - radius * 1.2, y + radius * 0.9)])
        case .diamond: area([(x, y - radius * 1.3), (x + radius * 1.3, y), (x, y + radius * 1.3), (x - radius * 1.3, y)])
        }
    }

    /// Keeps what `body` draws inside a rectangle.
    func clipped(x: Double, y: Double, width: Double, height: Double, _ body: () -> Void) {
        unsafe cairo_save(context)
        unsafe cairo_rectangle(context, x, y, width, height)
        unsafe cairo_clip(context)
        body()
        unsafe cairo_restore(context)
    }

    /// Draws into a part of the picture as if it were the whole, everything smaller by a factor.
    func part(x: Double, y: Double, width: Double, height: Double, scale: Double, _ body: () -> Void) {
        let whole = (self.width, self.height)
        unsafe cairo_save(context)
        unsafe cairo_translate(context, x, y)
        unsafe cairo_scale(context, scale, scale)
        (self.width, self.height) = (width / scale, height / scale)
        body()
        (self.width, self.height) = whole
        unsafe cairo_restore(context)
    }

    /// Begins another page of a PDF.
    func nextPage() { unsafe cairo_show_page(context) }

    /// A text on one line, its baseline at `y`, moved as far as it takes to lie within the picture.
    func text(_ text: String, x: Double, y: Double, size: Double, alignment: Alignment = .left, isBold: Bool = false) {
        font(isBold: isBold)
        let width = textWidth(text, size: size)
        let start = alignment == .left ? x : alignment == .right ? x - width : x - width / 2
        unsafe cairo_move_to(context, Swift.max(2, Swift.min(start, self.width - width - 4)), y)
        unsafe cairo_show_text(context, text)
    }

    func textWidth(_ text: String, size: Double) -> Double {
        var extents = cairo_text_extents_t()
        unsafe cairo_set_font_size(context, size)
        unsafe cairo_text_extents(context, text, &extents)
        return extents.x_advance
    }

    private func font(isBold: Bool) {
        let weight = isBold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL
        unsafe cairo_select_font_face(context, "sans-serif", CAIRO_FONT_SLANT_NORMAL, weight)
    }

    /// The picture's file. Nothing can be drawn afterwards.
    func finished() throws(PlotError) -> [UInt8] {
        var status = CAIRO_STATUS_SUCCESS
        if size.format == .png {
            status = unsafe cairo_surface_write_to_png_stream(surface, Self.write, Unmanaged.passUnretained(sink).toOpaque())
        } else {
            unsafe cairo_show_page(context)
            unsafe cairo_surface_finish(surface)
            status = unsafe cairo_surface_status(surface)
        }
        guard status == CAIRO_STATUS_SUCCESS else { throw Canvas.error(status) }
        return sink.bytes
    }

    private static func error(_ status: cairo_status_t) -> PlotError {
        PlotError(description: "cairo: " + (unsafe String(cString: cairo_status_to_string(status))))
    }
}

/// The buffer of cairo's writing callback.
private final class ByteSink {
    var bytes: [UInt8] = []
}

/// The shape of a point, by which series are told apart in print without colours too.
enum Marker: CaseIterable {
    case circle, square, triangle, diamond
}

/// A colour, each part from 0 to 1.
struct Colour: Hashable {
    let red: Double
    let green: Double
    let blue: Double

    /// Black or white, whichever can be read better on this colour. By the luminance of WCAG 2.1.
    var contrast: Colour {
        let parts = [red, green, blue].map { $0 <= 0.04045 ? $0 / 12.92 : pow(($0 + 0.055) / 1.055, 2.4) }
        let luminance = 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
        return (luminance + 0.05) / 0.05 > 1.05 / (luminance + 0.05) ? .black : .white
    }

    static let black = Colour(red: 0, green: 0, blue: 0)
    static let white = Colour(red: 1, green: 1, blue: 1)
    static let ink = Colour(red: 0.13, green: 0.15, blue: 0.18)
    static let faint = Colour(red: 0.87, green: 0.89, blue: 0.91)
    static let muted = Colour(red: 0.42, green: 0.46, blue: 0.5)
    /// Vermilion, behind alarms.
    static let alarm = Colour(red: 0.84, green: 0.37, blue: 0)
    /// The lines of electrocardiogram paper.
    static let paper = Colour(red: 0.95, green: 0.76, blue: 0.73)

    /// For one series after the other: told apart also by those who see no red or green (Okabe and Ito, "Color Universal Design", 2008).
    static let series = [
        Colour(red: 0, green: 0.45, blue: 0.7), Colour(red: 0.9, green: 0.62, blue: 0), Colour(red: 0, green: 0.62, blue: 0.45),
        Colour(red: 0.8, green: 0.47, blue: 0.65), Colour(red: 0.34, green: 0.71, blue: 0.91), Colour(red: 0.84, green: 0.37, blue: 0),
    ]
}

/// The reason why a plot could not be drawn.
package struct PlotError: Error, Sendable, CustomStringConvertible {
    /// Cairo's own words.
    package let description: String
}
