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
