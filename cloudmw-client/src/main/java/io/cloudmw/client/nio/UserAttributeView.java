package io.cloudmw.client.nio;

import io.cloudmw.client.file.PosixAttributes;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileSystemException;
import java.nio.file.attribute.UserDefinedFileAttributeView;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The view of an entry's own attributes: those that {@code cloudmw attr} and {@code setAttributes} show. A value that
 * is not text is kept as base64.
 */
final class UserAttributeView implements UserDefinedFileAttributeView {
    private final VolumePath path;

    UserAttributeView(VolumePath path) {
        this.path = path;
    }

    @Override
    public String name() {
        return "user";
    }

    @Override
    public List<String> list() throws IOException {
        return path.getFileSystem().attributes(path).status().attributes().values().keySet().stream()
                .filter(each -> !each.startsWith(PosixAttributes.PREFIX))
                .toList();
    }

    /** The value of an attribute. */
    byte[] value(String name) throws IOException {
        String value = Optional.ofNullable(path.getFileSystem()
                        .attributes(path)
                        .status()
                        .attributes()
                        .values()
                        .get(checked(name)))
                .orElseThrow(() -> new FileSystemException(path.toString(), null, "no attribute " + name));
        return PosixAttributes.decoded(value);
    }

    private String checked(String name) throws FileSystemException {
        if (name.startsWith(PosixAttributes.PREFIX)) {
            throw new FileSystemException(
                    path.toString(), null, "attribute " + name + ": this name is used by the file system");
        }
        return name;
    }

    @Override
    public int size(String name) throws IOException {
        return value(name).length;
    }

    @Override
    public int read(String name, ByteBuffer target) throws IOException {
        byte[] value = value(name);
        if (value.length > target.remaining()) {
            throw new FileSystemException(
                    path.toString(),
                    null,
                    "attribute " + name + ": " + value.length + " bytes (expected: <= " + target.remaining() + ")");
        }
        target.put(value);
        return value.length;
    }

    @Override
    public int write(String name, ByteBuffer source) throws IOException {
        byte[] bytes = new byte[source.remaining()];
        source.get(bytes);
        path.getFileSystem().setAttributes(path, Map.of(checked(name), PosixAttributes.encoded(bytes)), Set.of());
        return bytes.length;
    }

    @Override
    public void delete(String name) throws IOException {
        int unused = size(name);
        path.getFileSystem().setAttributes(path, Map.of(), Set.of(name));
    }
}
