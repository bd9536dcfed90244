package io.cloudmw.testkit;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.Reasons;
import io.cloudmw.core.model.Page;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.chunk.StoredChunk;
import io.cloudmw.core.store.ChunkStore;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A disk of a cluster under test, and the switches of its faults. Faults stay when the helper stops and starts, and
 * count for reads that are under way. Safe for any thread.
 */
public final class ClusterStore {
    private static final int LISTED = 1000;

    private final StoreId id;
    private final Path directory;

    @GuardedBy("this")
    private DiskCondition condition = DiskCondition.HEALTHY;

    @GuardedBy("this")
    private @Nullable FaultyDisk disk;

    ClusterStore(StoreId id, Path directory) {
        this.id = id;
        this.directory = directory;
    }

    /** The id by which volumes name the store. */
    public StoreId id() {
        return id;
    }

    /** The directory of its chunks. */
    public Path directory() {
        return directory;
    }

    /** Decorates the disk of a helper that starts. */
    synchronized ChunkStore opened(ChunkStore opened) {
        FaultyDisk made = new FaultyDisk(opened, condition);
        disk = made;
        return made;
    }

    /** Notes that the helper of the disk has ended. */
    synchronized void closed() {
        disk = null;
    }

    /** Makes reads slow, as {@link #slow(long, Duration)} does without latency. */
    public void slow(long bytesPerSecond) {
        slow(bytesPerSecond, Duration.ZERO);
    }

    /**
     * Makes reads slow. Writes keep their speed.
     *
     * @param bytesPerSecond of all its readers together, at least 1024
     * @param latency from a request to its first byte
     */
    public void slow(long bytesPerSecond, Duration latency) {
        become(DiskCondition.slow(new SteadyLaw(bytesPerSecond, latency)));
    }

    /**
     * Makes every call to the store fail with {@code STORE_UNAVAILABLE}. Its helper still reports the disk to the
     * coordinator, so reads and writes go on trying it.
     */
    public void makeUnreachable() {
        become(DiskCondition.UNREACHABLE);
    }

    /** Ends a fault of this store. Damaged replicas stay damaged. */
    public void restore() {
        become(DiskCondition.HEALTHY);
    }

    private synchronized void become(DiskCondition wanted) {
        condition = wanted;
        if (disk != null) {
            disk.become(wanted);
        }
    }

    /**
     * Flips one bit in the middle of each replica that the store keeps now.
     *
     * @return number of replicas that were damaged
     * @throws IllegalStateException when the helper of the store is not running
     * @throws CloudMwException when a replica cannot be changed
     */
    public int corruptReplicas() throws CloudMwException {
        ChunkStore open;
        synchronized (this) {
            if (disk == null) {
                throw new IllegalStateException("store " + id + ": its helper is not running");
            }
            open = disk;
        }
        int damaged = 0;
        String token = "";
        do {
            Page<StoredChunk> page = open.list(token, LISTED);
            for (StoredChunk chunk : page.items()) {
                Path file = open.file(chunk.id()).orElseThrow();
                try {
                    damaged += flip(file, chunk.bytes() / 2);
                } catch (IOException e) {
                    throw new CloudMwException(
                            ErrorCode.LOCAL_IO, "store " + id + ": cannot damage " + file + ": " + Reasons.of(e), e);
                }
            }
            token = page.nextToken();
        } while (!token.isEmpty());
        return damaged;
    }

    private static int flip(Path file, long position) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            ByteBuffer one = ByteBuffer.allocate(1);
            if (channel.read(one, position) < 1) {
                return 0;
            }
            one.put(0, (byte) (one.get(0) ^ 1)).rewind();
            return channel.write(one, position);
        }
    }

    @Override
    public String toString() {
        return "store " + id;
    }
}
