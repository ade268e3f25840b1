import CCairo

/// A white picture to draw on, with cairo. Coordinates are pixels from the upper left.
///
/// Threading: belongs to the caller; not shared.
@safe final class Canvas {
    /// How a text stands to its point.
    enum Alignment { case left, centre, right }

    let width: Double
    let height: Double
    private let surface: OpaquePointer
    private let context: OpaquePointer

    init(width: Int, height: Int) throws(PlotError) {
        self.width = Double(width)
        self.height = Double(height)
        unsafe surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, Int32(width), Int32(height))
        unsafe context = cairo_create(surface)
        let status = unsafe cairo_surface_status(surface)
        guard status == CAIRO_STATUS_SUCCESS else { throw Canvas.error(status) }
        colour(.white)
        unsafe cairo_paint(context)
        unsafe cairo_select_font_face(context, "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL)
    }

    deinit {
        unsafe cairo_destroy(context)
        unsafe cairo_surface_destroy(surface)
    }

    func colour(_ colour: Colour) { unsafe cairo_set_source_rgb(context, colour.red, colour.green, colour.blue) }

    /// A line through the points, `thickness` pixels wide.
    func line(_ points: [(x: Double, y: Double)], thickness: Double = 1) {
        guard let first = points.first else { return }
        unsafe cairo_set_line_width(context, thickness)
        unsafe cairo_set_line_join(context, CAIRO_LINE_JOIN_ROUND)
        unsafe cairo_move_to(context, first.x, first.y)
        for point in points.dropFirst() { unsafe cairo_line_to(context, point.x, point.y) }
        unsafe cairo_stroke(context)
    }

    func fillRectangle(x: Double, y: Double, width: Double, height: Double) {
        unsafe cairo_rectangle(context, x, y, width, height)
        unsafe cairo_fill(context)
    }

    /// A filled circle.
    func dot(x: Double, y: Double, radius: Double) {
        unsafe cairo_arc(context, x, y, radius, 0, 2 * .pi)
        unsafe cairo_fill(context)
    }

    /// A text on one line, its baseline at `y`.
    func text(_ text: String, x: Double, y: Double, size: Double, alignment: Alignment = .left) {
        unsafe cairo_set_font_size(context, size)
        let width = textWidth(text)
        let start = alignment == .left ? x : alignment == .right ? x - width : x - width / 2
        unsafe cairo_move_to(context, start, y)
        unsafe cairo_show_text(context, text)
    }

    private func textWidth(_ text: String) -> Double {
        var extents = cairo_text_extents_t()
        unsafe cairo_text_extents(context, text, &extents)
        return extents.x_advance
    }

    /// The picture as PNG.
    func png() throws(PlotError) -> [UInt8] {
        let sink = ByteSink()
        let status = unsafe cairo_surface_write_to_png_stream(
            surface,
            { closure, bytes, count in
                guard let closure = unsafe closure, let bytes = unsafe bytes else { return CAIRO_STATUS_WRITE_ERROR }
                let sink = unsafe Unmanaged<ByteSink>.fromOpaque(closure).takeUnretainedValue()
                unsafe sink.bytes.append(contentsOf: UnsafeBufferPointer(start: bytes, count: Int(count)))
                return CAIRO_STATUS_SUCCESS
            }, Unmanaged.passUnretained(sink).toOpaque())
        guard status == CAIRO_STATUS_SUCCESS else { throw Canvas.error(status) }
        return sink.bytes
    }

    private static func error(_ status: cairo_status_t) -> PlotError {
        PlotError(description: "cairo: " + (unsafe String(cString: cairo_status_to_string(status))))
    }
}

/// Where cairo's writing callback puts the bytes.
private final class ByteSink {
    var bytes: [UInt8] = []
}

/// A colour, each part from 0 to 1.
struct Colour: Hashable {
    let red: Double
    let green: Double
    let blue: Double

    static let white = Colour(red: 1, green: 1, blue: 1)
    static let ink = Colour(red: 0.13, green: 0.15, blue: 0.18)
    static let faint = Colour(red: 0.87, green: 0.89, blue: 0.91)
    static let muted = Colour(red: 0.42, green: 0.46, blue: 0.5)

    /// For one series after the other: told apart also by those who see no red or green (Okabe and Ito, "Color Universal Design", 2008).
    static let series = [
        Colour(red: 0, green: 0.45, blue: 0.7), Colour(red: 0.84, green: 0.37, blue: 0), Colour(red: 0, green: 0.62, blue: 0.45),
        Colour(red: 0.8, green: 0.47, blue: 0.65), Colour(red: 0.34, green: 0.71, blue: 0.91), Colour(red: 0.9, green: 0.62, blue: 0),
    ]
}

/// Why a plot could not be drawn.
package struct PlotError: Error, Sendable, CustomStringConvertible {
    /// Cairo's own words.
    package let description: String
}
