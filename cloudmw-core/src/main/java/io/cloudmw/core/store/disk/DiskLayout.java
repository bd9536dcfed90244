package io.cloudmw.core.store.disk;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.fleet.StoreIdentity;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Optional;

/**
 * The layout of a store's directory:
 *
 * <pre>
 * cloudmw-store     identity: a format line, the id of the store, then a line each for "identity" and "cluster"
 * cloudmw-store.new the identity that is written there once the cluster has accepted the disk
 * lock              locked by the process that may write
 * chunks/ab/ab...   chunks, by the first two digits of their name
 * incoming/         chunks being written; whatever is here when the store is opened is removed
 * </pre>
 */
final class DiskLayout {
    private static final String FORMAT = "cloudmw-store 1";
    private static final String IDENTITY = "identity ";
    private static final String CLUSTER = "cluster ";

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

    /** The file of a chunk, or of the one that holds a slice. */
    Path chunk(ChunkId chunk) {
        return shard(chunk).resolve(chunk.stored().toString());
    }

    /**
     * The file of the candidate identity, until the cluster accepts the disk: a helper that is killed meanwhile
     * registers with the same.
     */
    Path candidate() {
        return root.resolve("cloudmw-store.new");
    }

    /**
     * Checks that the directory belongs to {@code id}.
     *
     * @throws CloudMwException {@code STORE_UNAVAILABLE} when it has no identity file; {@code STORE_MISMATCH} when it
     *     has that of another store
     */
    void checkIdentity(StoreId id) throws IOException {
        if (read(id, identity()).isEmpty()) {
            throw new CloudMwException(
                    ErrorCode.STORE_UNAVAILABLE, "store=" + id + ": " + root + " is not a CloudMW store");
        }
    }

    /**
     * Reads an identity file.
     *
     * @return empty: there is no file; {@link StoreIdentity#NONE}: a release before identities has written it
     * @throws CloudMwException {@code STORE_MISMATCH} when it is another store's; {@code STORE_DENIED} when it is of
     *     an unknown format
     */
    Optional<StoreIdentity> read(StoreId id, Path file) throws IOException {
        String text;
        try {
            text = Files.readString(file);
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
        List<String> lines = text.lines().toList();
        if (lines.size() < 2 || !lines.get(0).equals(FORMAT)) {
            throw new CloudMwException(
                    ErrorCode.STORE_DENIED, "store=" + id + ": " + file + " is of an unknown format");
        }
        if (!lines.get(1).equals(id.value())) {
            throw new CloudMwException(
                    ErrorCode.STORE_MISMATCH,
                    "disk " + id + ": " + root + " belongs to store " + lines.get(1) + " (expected: a disk of store "
                            + id
                            + "). Attach the right disk. To use this one here, empty the directory, then use --replace-disk "
                            + id + ".");
        }
        try {
            return Optional.of(new StoreIdentity(value(lines, IDENTITY), value(lines, CLUSTER), 0));
        } catch (IllegalArgumentException e) {
            throw new CloudMwException(
                    ErrorCode.STORE_DENIED,
                    "store=" + id + ": " + file + " is of an unknown format: " + e.getMessage(),
                    e);
        }
    }

    private static String value(List<String> lines, String name) {
        return lines.stream()
                .filter(line -> line.startsWith(name))
                .map(line -> line.substring(name.length()))
                .findFirst()
                .orElse("");
    }

    /** Writes an identity file; a crash leaves the former one, or none. */
    void write(StoreId id, Path file, StoreIdentity identity) throws IOException {
        Path fresh = incoming().resolve("identity");
        Files.writeString(
                fresh,
                FORMAT + "\n" + id + "\n" + IDENTITY + identity.value() + "\n" + CLUSTER + identity.cluster() + "\n");
        sync(fresh);
        Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE);
        sync(root);
    }

    /** Makes a file's content, or a directory's names, survive a crash. */
    static void sync(Path fileOrDirectory) throws IOException {
        StandardOpenOption how =
                Files.isDirectory(fileOrDirectory) ? StandardOpenOption.READ : StandardOpenOption.WRITE;
        try (FileChannel channel = FileChannel.open(fileOrDirectory, how)) {
            channel.force(true);
        }
    }
}
