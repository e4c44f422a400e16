import Testing
@testable import GarnerFetcher

struct RetryBudgetTests {
    @Test func `ten retries are in reserve`() {
        var budget = RetryBudget()
        #expect((0..<12).map { _ in budget.withdraw() } == Array(repeating: true, count: 10) + [false, false])
    }

    @Test func `five first attempts pay for a retry`() {
        var budget = RetryBudget()
        while budget.withdraw() {}
        for _ in 0..<3 {
            for _ in 0..<4 {
                budget.deposit()
                let isGranted = budget.withdraw()
                #expect(!isGranted)
            }
            budget.deposit()
            #expect([budget.withdraw(), budget.withdraw()] == [true, false])
        }
    }

    @Test(arguments: [449, 450, 451, 100_000])
    func `no more than a hundred are saved`(deposits: Int) {
        var budget = RetryBudget()
        for _ in 0..<deposits { budget.deposit() }
        var retries = 0
        while budget.withdraw() { retries += 1 }
        #expect(retries == (deposits < 450 ? 99 : 100))
    }

    @Test func `a host that always fails gets a fifth more`() {
        var budget = RetryBudget()
        var retries = 0
        for _ in 0..<10_000 {
            budget.deposit()
            while budget.withdraw() { retries += 1 }
        }
        #expect(retries == 10 + 2000)
    }
}
