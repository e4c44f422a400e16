import Catalog
import Foundation
import Persistence
import Sync

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The folder that `garner demo` works in: a configuration for the running API and a new database.
struct DemoFolder {
    let path: String

    var configurationPath: String { "\(path)/garner.yaml" }
    var databasePath: String { "\(path)/garner.db" }

    /// Makes the folder, or takes the one that an earlier demo left; a folder of something else is refused.
    init(_ path: String, apiURL: String) throws {
        self.path = path
        if mkdir(path, 0o700) != 0, errno != EEXIST { throw OutputError(errno, writing: path) }
        let mark = "\(path)/\(Self.mark)"
        let isDemo = (try? String(contentsOfFile: mark, encoding: .utf8)) == Self.markText
        if let other = [mark, configurationPath, databasePath].first(where: Self.exists), !isDemo {
            throw Failure(
                code: ExitCode.cannotCreate, kind: "exists", message: "\(other) exists and is not the demo's",
                hint: "name another folder with --folder")
        }
        try Store.remove(databasePath)
        try Self.write(Self.markText, to: mark)
        try Self.write(Self.configuration(apiURL), to: configurationPath)
    }

    private static let mark = "README.txt"
    private static let markText = "This folder was made by 'garner demo' and is made anew by the next one.\n"

    private static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    private static func write(_ text: String, to path: String) throws {
        try AtomicFile.write(to: path) { file in
            var text = text
            try text.withUTF8 { try file(UnsafeRawBufferPointer($0)) }
        }
    }

    private static func configuration(_ apiURL: String) -> String {
        """
        version: 1
        database: garner.db

        sources:
          zoo:
            base_url: \(apiURL)
            proxy: none                  # the API is on this machine
            streams:
              animals:
                path: /animals
                params: { per_page: 20 }
                primary_key: id
                delete_missing: hard       # what the API no longer lists is deleted here too
                history: true              # for 'garner changes' and 'garner query --as-of'
                search: [name, habitat, diet]
                attachments: [ { field: image_link, media_types: [image/svg+xml] } ]
                schedule: { every: 1m }    # for 'garner serve'

        """
    }
}
