import Foundation

/// Proves that storing is safe from crashes: the harnesses that are named, or all. Ends with 1 where one found something.
@main
enum StorageProof {
    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        if arguments.first == VictimOrder.command, let order = arguments.last {
            return try await VictimOrder.obey(order)
        }
        let options: ProofOptions
        do {
            options = try ProofOptions(arguments)
        } catch let misuse as ProofOptions.Misuse {
            FileHandle.standardError.write(Data("Error: \(misuse.text)\n".utf8))
            exit(64)
        }
        var isSound = true
        for harness in options.harnesses {
            let tally = Tally(harness, options)
            do {
                switch harness {
                case .faults: try await FaultsHarness(options: options, tally: tally).run()
                case .kills: try await KillsHarness(options: options, tally: tally).run()
                case .full: try await FullDiskHarness(options: options, tally: tally).run()
                case .flips: try await FlipsHarness(options: options, tally: tally).run()
                case .pages: try await PagesHarness(tally: tally).run()
                case .reads: try await ReadsHarness(tally: tally).run()
                case .service: try await ServiceHarness(options: options, tally: tally).run()
                case .beats: try await BeatsHarness(options: options, tally: tally).run()
                case .waits: try await WaitsHarness(tally: tally).run()
                case .histories: try await HistoriesHarness(options: options, tally: tally).run()
                case .manners: try await MannersHarness(options: options, tally: tally).run()
                case .publish: try await PublishHarness(options: options, tally: tally).run()
                case .workers: try await WorkersHarness(options: options, tally: tally).run()
                case .power: try await PowerHarness(options: options, tally: tally).run()
                }
            } catch {
                tally.fail("the harness itself", "\(error)")
            }
            tally.conclude()
            isSound = isSound && tally.isSound
        }
        exit(isSound ? 0 : 1)
    }
}
