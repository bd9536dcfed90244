package io.cloudmw.hadoop.volume;

import io.cloudmw.core.model.VersionId;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.apache.hadoop.fs.InvalidPathHandleException;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PathHandle;

/**
 * A handle of a file: its path, and its version. It holds for the path alone: a version that is read
 * by its id can be one that no path names any more. Immutable.
 *
 * @param path qualified
 * @param version the version that the file had
 * @param changes whether the handle holds for later versions, too
 */
public record VersionHandle(String path, String version, boolean changes) implements PathHandle {
    private static final String MARK = "cloudmw1";

    /**
     * Reads a handle from its bytes.
     *
     * @throws InvalidPathHandleException when they are those of another file system
     */
    public static VersionHandle of(PathHandle handle) throws IOException {
        String[] parts = StandardCharsets.UTF_8
                .decode(handle.bytes().duplicate())
                .toString()
                .split("\n", 4);
        if (parts.length != 4 || !parts[0].equals(MARK)) {
            throw new InvalidPathHandleException("the handle is of another file system: " + handle);
        }
        return new VersionHandle(parts[3], parts[2], Boolean.parseBoolean(parts[1]));
    }

    @Override
    public ByteBuffer bytes() {
        return ByteBuffer.wrap((MARK + "\n" + changes + "\n" + version + "\n" + path).getBytes(StandardCharsets.UTF_8));
    }

    /**
     * The version to open.
     *
     * @throws InvalidPathHandleException when the file has changed, or is gone, and the handle does not hold any more
     */
    public VersionId resolve(VolumeNames names) throws IOException {
        CloudMwFileStatus status;
        try {
            status = names.status(new Path(path));
        } catch (FileNotFoundException e) {
            throw new InvalidPathHandleException(path + ": the file is gone", e);
        }
        String current = status.getEtag();
        if (current == null || (!changes && !current.equals(version))) {
            throw new InvalidPathHandleException(
                    path + ": the file has changed (expected: version " + version + ", found: " + current + ")");
        }
        return new VersionId(Objects.requireNonNull(current));
    }
}
