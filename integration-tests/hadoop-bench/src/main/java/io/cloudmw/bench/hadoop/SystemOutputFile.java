package io.cloudmw.bench.hadoop;

import java.io.IOException;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.parquet.hadoop.util.HadoopStreams;
import org.apache.parquet.io.OutputFile;
import org.apache.parquet.io.PositionOutputStream;

/** A file of a given file system. */
final class SystemOutputFile implements OutputFile {
    private final FileSystem system;
    private final Path path;

    SystemOutputFile(FileSystem system, Path path) {
        this.system = system;
        this.path = path;
    }

    @Override
    public PositionOutputStream create(long blockSize) throws IOException {
        return HadoopStreams.wrap(system.create(path, false));
    }

    @Override
    public PositionOutputStream createOrOverwrite(long blockSize) throws IOException {
        return HadoopStreams.wrap(system.create(path, true));
    }

    @Override
    public boolean supportsBlockSize() {
        return false;
    }

    @Override
    public long defaultBlockSize() {
        return 0;
    }
}
