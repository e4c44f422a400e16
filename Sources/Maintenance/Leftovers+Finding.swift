package import GarnerPersistence
import GarnerModel

extension Leftovers.Outcome {
    /// The finding for `garner doctor`.
    package var finding: Finding {
        if let problem {
            return .warning("leftovers", problem, hint: "remove it by hand: its writer was killed")
        }
        guard files > 0 else { return .ok("leftovers", "no killed copy or export has left a file here") }
        let what = files == 1 ? "a file" : "\(files) files"
        return .ok("leftovers", "removed \(what) (\(bytes >> 10) KiB) that killed copies or exports had left")
    }
}
