package io.cloudmw.core.store.disk;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.ChunkId;
import io.cloudmw.core.model.StoreId;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/**
 * Where things are in a store's directory:
 *
 * <pre>
 * cloudmw-store     identity: a format line, then the id of the store
 * lock              locked by the process that may write
 * chunks/ab/ab...   chunks, by the first two digits of their name
 * incoming/         chunks being written; whatever is here when the store is opened is removed
 * </pre>
 */
final class DiskLayout {
    private static final String FORMAT = "cloudmw-store 1";

    private final Path root;

    DiskLayout(Path root) {
        this.root = root.toAbsolutePath().normalize();
    }

    Path root() {
        return root;
    }

    Path identity() {
        return root.resolve("cloudmw-store");
    }

    Path lock() {
        return root.resolve("lock");
    }

    Path chunks() {
        return root.resolve("chunks");
    }

    Path incoming() {
        return root.resolve("incoming");
    }

    Path shard(ChunkId chunk) {
        return chunks().resolve(chunk.version().value().substring(0, 2));
    }

    Path chunk(ChunkId chunk) {
        return shard(chunk).resolve(chunk.toString());
    }

    /** Makes the directory that of {@code id}, or checks that it is. */
    void claim(StoreId id) throws IOException {
        if (!Files.exists(identity())) {
            Path fresh = incoming().resolve("identity");
            Files.writeString(fresh, FORMAT + "\n" + id + "\n");
            sync(fresh);
            Files.move(fresh, identity(), StandardCopyOption.ATOMIC_MOVE);
            sync(root);
        }
        checkIdentity(id);
    }

    /**
     * Checks that the directory belongs to {@code id}.
     *
     * @throws CloudMwException {@code STORE_UNAVAILABLE} when it has no identity; {@code STORE_DENIED} when it has
     *     that of another store
     */
    void checkIdentity(StoreId id) throws IOException {
        String text;
        try {
            text = Files.readString(identity());
        } catch (NoSuchFileException e) {
            throw new CloudMwException(
                    ErrorCode.STORE_UNAVAILABLE, "store=" + id + ": " + root + " is not a CloudMW store", e);
        }
        String[] lines = text.split("\n", -1);
        if (lines.length < 2 || !lines[0].equals(FORMAT)) {
            throw new CloudMwException(
                    ErrorCode.STORE_DENIED, "store=" + id + ": " + identity() + " is of an unknown format");
        }
        if (!lines[1].equals(id.value())) {
            throw new CloudMwException(
                    ErrorCode.STORE_DENIED, "store=" + id + ": " + root + " belongs to store " + lines[1]);
        }
    }

    /** Makes what was written to a file, or the names in a directory, survive a crash. */
    static void sync(Path fileOrDirectory) throws IOException {
        StandardOpenOption how =
                Files.isDirectory(fileOrDirectory) ? StandardOpenOption.READ : StandardOpenOption.WRITE;
        try (FileChannel channel = FileChannel.open(fileOrDirectory, how)) {
            channel.force(true);
        }
    }
}
