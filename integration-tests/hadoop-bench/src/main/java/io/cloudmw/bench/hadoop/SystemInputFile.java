package io.cloudmw.bench.hadoop;

import java.io.IOException;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.util.functional.FutureIO;
import org.apache.parquet.hadoop.util.HadoopStreams;
import org.apache.parquet.io.InputFile;
import org.apache.parquet.io.SeekableInputStream;

/** A file of a given file system, opened as Parquet's own {@code HadoopInputFile} opens it. */
final class SystemInputFile implements InputFile {
    private final FileSystem system;
    private final FileStatus status;

    SystemInputFile(FileSystem system, Path path) throws IOException {
        this.system = system;
        this.status = system.getFileStatus(path);
    }

    @Override
    public long getLength() {
        return status.getLen();
    }

    @Override
    public SeekableInputStream newStream() throws IOException {
        return HadoopStreams.wrap(FutureIO.awaitFuture(system.openFile(status.getPath())
                .withFileStatus(status)
                .opt("fs.option.openfile.read.policy", "parquet, columnar, vector, random, adaptive")
                .build()));
    }
}
