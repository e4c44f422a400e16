import Testing

@testable import DemoAPI

struct DecimalTextTests {
    @Test(arguments: [
        (1.2, 2, "1.20"), (1.0, 2, "1.00"), (20.7, 2, "20.70"), (0.0006, 2, "0.0006"), (0.055, 2, "0.055"),
        (330_000, 2, "330000.00"), (53, 0, "53"), (0.5, 0, "0.5"), (0, 0, "0"), (0.00005, 0, "0.0001"),
        (1.99999, 2, "2.00"), (100, 0, "100"), (1.05, 1, "1.05"),
    ])
    func `a measure is spelled with the places it needs`(value: Double, places: Int, text: String) {
        #expect(value.decimalText(minimumPlaces: places) == text)
    }
}
