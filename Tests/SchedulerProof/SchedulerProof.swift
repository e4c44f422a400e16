/// Do the schedules say what they mean? Programs that take minutes and are asked for by name.
@main
struct SchedulerProof {
    static func main() async throws {
        print("SchedulerProof")
    }
}
