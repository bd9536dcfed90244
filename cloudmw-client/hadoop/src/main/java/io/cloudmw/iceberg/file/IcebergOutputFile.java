package io.cloudmw.iceberg.file;

import io.cloudmw.core.model.FilePath;
import java.util.OptionalLong;
import org.apache.iceberg.exceptions.AlreadyExistsException;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.io.OutputFile;
import org.apache.iceberg.io.PositionOutputStream;

/** A file to be written. It appears, whole, when its stream is closed. Safe for any thread. */
final class IcebergOutputFile implements OutputFile {
    private final String location;
    private final FilePath file;
    private final StoredFiles files;

    IcebergOutputFile(String location, FilePath file, StoredFiles files) {
        this.location = location;
        this.file = file;
        this.files = files;
    }

    /**
     * Creates the file.
     *
     * @throws AlreadyExistsException when it exists. When two streams create it at once, the second one to be closed
     *     throws this then
     */
    @Override
    public PositionOutputStream create() {
        if (toInputFile().exists()) {
            throw new AlreadyExistsException("%s: exists already", location);
        }
        return new IcebergOutputStream(location, file, files, true);
    }

    @Override
    public PositionOutputStream createOrOverwrite() {
        return new IcebergOutputStream(location, file, files, false);
    }

    @Override
    public String location() {
        return location;
    }

    @Override
    public InputFile toInputFile() {
        return new IcebergInputFile(location, file, files, OptionalLong.empty());
    }

    @Override
    public String toString() {
        return location;
    }
}
