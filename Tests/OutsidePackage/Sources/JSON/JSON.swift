public struct JSON { public init() {} }
