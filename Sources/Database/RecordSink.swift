/// The place that a record's values are written to, such as a prepared statement. Parameters are numbered from 1.
package protocol RecordSink {
    associatedtype Failure: Error

    func bindNull(at parameter: Int32) throws(Failure)
    func bind(_ integer: Int64, at parameter: Int32) throws(Failure)
    func bind(_ real: Double, at parameter: Int32) throws(Failure)
    /// Binds UTF-8 without copying it. The buffer must stay valid until the record is stored.
    func bind(unownedUTF8 text: UnsafeBufferPointer<UInt8>, at parameter: Int32) throws(Failure)
    /// Binds a copy of UTF-8.
    func bind(copyingUTF8 text: [UInt8], at parameter: Int32) throws(Failure)
}
