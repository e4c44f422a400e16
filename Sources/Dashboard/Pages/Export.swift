import GarnerDatabase
import Dispatch
import GarnerModel
import GarnerPersistence
import GarnerPresentation
import Synchronization

/// The places for exports: so many may run at once.
final class ExportPlaces: Sendable {
    static let count = 2

    private let taken = Mutex(0)

    /// A place that is given back when the last reference to it goes.
    final class Place: Sendable {
        private let places: ExportPlaces

        fileprivate init(of places: ExportPlaces) { self.places = places }

        deinit { places.taken.withLock { $0 -= 1 } }
    }

    /// Takes a place; nil if none is free.
    func take() -> Place? {
        let isFree = taken.withLock { taken in
            guard taken < Self.count else { return false }
            taken += 1
            return true
        }
        return isFree ? Place(of: self) : nil
    }
}

extension Dashboard {
    /// All rows of a table or a view as a file, as `garner export` writes them.
    ///
    /// The export has a connection of its own, so that a slow client keeps none of those that pages are read with. It reads
    /// no faster than the client does, and ends when the client goes, or when it has held up the write-ahead log for long.
    func export(_ request: WebRequest, as format: RowFormat) async throws -> WebResponse {
        let name = request.components[1]
        let selection = try await readRows(request) { database, address in
            try database.check(address.selection)
            return address.selection
        }
        guard let place = exports.take() else { return Self.noPlace }
        let export = Export(of: selection, as: format, path: database, place)
        return .rows(
            .parts(AsyncThrowingStream { try await export.next() }), as: format, name: Self.fileName(of: name))
    }

    static let noPlace = WebResponse.text(
        "\(ExportPlaces.count) downloads are running already. Try again in a moment.\n", status: 503
    ).adding("Retry-After", "10")

    /// Returns the name with only those characters that need no quoting in a header or a shell.
    static func fileName(of name: String) -> String {
        let name = name.unicodeScalars.prefix(100).map { scalar in
            scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil || scalar == "-")
                ? Character(scalar) : "_"
        }
        return name.isEmpty ? "table" : String(name)
    }
}

/// An export that runs while its reader reads. It is stopped when the reader lets go of it.
private final class Export: Sendable {
    private let handOver = HandOver()
    private let queryGuard = QueryGuard()

    init(of selection: RowSelection, as format: RowFormat, path: String, _ place: ExportPlaces.Place) {
        let (handOver, queryGuard) = (handOver, queryGuard)
        DispatchQueue(label: "garner.export").async {
            let ending = Result {
                let database = try ReadOnlyDatabase(path: path)
                // A view, and a column that its owner computes, are SQL of the user.
                try database.viewing(asOf: selection.relation.asOf) {
                    try database.guarding(queryGuard, limits: selection.relation.isView ? .reading : .none) {
                        _ = try database.allRows(of: selection).write(as: format) { piece in
                            guard !database.mustMakeRoomInLog else { throw HandOver.Abandoned() }
                            try handOver.put(Array(piece))
                        }
                    }
                }
            }
            handOver.end(ending)
            withExtendedLifetime(place) {}
        }
    }

    deinit {
        handOver.abandon()
        queryGuard.stop()
    }

    func next() async throws -> [UInt8]? { try await handOver.next() }
}
