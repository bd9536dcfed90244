package io.cloudmw.iceberg.file;

import io.cloudmw.client.file.FileStatus;
import io.cloudmw.client.file.RemoteFile;
import io.cloudmw.connector.CallResults;
import io.cloudmw.connector.SeekableFile;
import io.cloudmw.core.model.FilePath;
import java.io.IOException;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.iceberg.exceptions.NotFoundException;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.io.SeekableInputStream;

/** A file to be read. Its length is looked up once, unless it was given. Safe for any thread. */
final class IcebergInputFile implements InputFile {
    private final String location;
    private final FilePath file;
    private final StoredFiles files;
    private volatile OptionalLong length;

    IcebergInputFile(String location, FilePath file, StoredFiles files, OptionalLong length) {
        this.location = location;
        this.file = file;
        this.files = files;
        this.length = length;
    }

    @Override
    public String location() {
        return location;
    }

    /** Looks the file up. */
    @Override
    public boolean exists() {
        return find().isPresent();
    }

    private Optional<FileStatus> find() {
        try {
            Optional<FileStatus> found = CallResults.find(files.client().files().stat(file));
            found.ifPresent(status -> length = OptionalLong.of(status.version().sizeBytes()));
            return found;
        } catch (IOException e) {
            throw IcebergErrors.unchecked(location, e);
        }
    }

    @Override
    public long getLength() {
        OptionalLong known = length;
        return known.isPresent()
                ? known.getAsLong()
                : find().orElseThrow(() -> new NotFoundException("%s: does not exist", location))
                        .version()
                        .sizeBytes();
    }

    /**
     * Opens the version that is current now.
     *
     * @throws NotFoundException when there is no file
     */
    @Override
    public SeekableInputStream newStream() {
        try {
            RemoteFile open = CallResults.await(files.client().files().open(file));
            length = OptionalLong.of(open.version().sizeBytes());
            return new IcebergInputStream(
                    location, new SeekableFile(open, files.client().channels()), files);
        } catch (IOException e) {
            throw IcebergErrors.unchecked(location, e);
        }
    }

    @Override
    public String toString() {
        return location;
    }
}
