package io.cloudmw.iceberg.file;

import io.cloudmw.connector.RangeLimits;
import io.cloudmw.connector.SharedClient;
import java.util.OptionalLong;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.io.OutputFile;
import org.apache.iceberg.metrics.MetricsContext;

/**
 * The means to read and write the files of one cluster. Immutable.
 *
 * @param client not closed with the files
 * @param ranges the limits of vectored reads
 * @param writes the limits of streams that write
 * @param metrics counts what is read and written
 */
public record StoredFiles(SharedClient client, RangeLimits ranges, WriteLimits writes, MetricsContext metrics) {
    /**
     * A file to be read. Nothing is sent.
     *
     * @param location as Iceberg named it
     * @param length the length of the file, if it is known
     */
    public InputFile input(String location, FileLocation parsed, OptionalLong length) {
        return new IcebergInputFile(location, parsed.file(), this, length);
    }

    /**
     * A file to be written. Nothing is sent.
     *
     * @param location as Iceberg named it
     */
    public OutputFile output(String location, FileLocation parsed) {
        return new IcebergOutputFile(location, parsed.file(), this);
    }
}
