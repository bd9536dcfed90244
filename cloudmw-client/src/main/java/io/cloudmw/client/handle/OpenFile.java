package io.cloudmw.client.handle;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.client.file.RemoteFile;
import io.cloudmw.client.read.GetRequest;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.Reasons;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.file.FileVersion;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * An open version of a file. Safe for any thread.
 *
 * <p>The file keeps its plan and connections, so that a small read is one request to a helper: to the switch that has
 * the bytes, or to one that reads the store. The file also keeps the leaves read last, so that a nearby read needs no
 * request. Concurrent reads of one leaf share a request. Every byte is verified. When the helper fails, the bytes are
 * read as {@link io.cloudmw.client.FileOperations#read} does. So are longer reads: of more than {@value #DIRECT_BYTES}
 * bytes, of more than a leaf where the volume has no switches, and of all lengths where helpers race for each block.
 */
@SuppressWarnings("CollectionUndefinedEquality") // the same future, not an equal one
final class OpenFile implements RemoteFile {
    /** Longer reads gain nothing from requests for single leaves. */
    static final int DIRECT_BYTES = 1 << 20;

    /** The same limit in leaves: each is a stream. */
    static final int DIRECT_LEAVES = 16;

    private static final long PLAN_AGE_NANOS = Duration.ofMinutes(1).toNanos();
    private static final long PLAN_PAUSE_NANOS = Duration.ofSeconds(1).toNanos();

    private final OpenFiles files;
    private final FileVersion version;
    private final Map<CompletableFuture<Integer>, CallerBuffer> reading = new ConcurrentHashMap<>();
    private volatile LeafLocator map;
    private volatile boolean closed;

    @GuardedBy("this")
    private long plannedNanos;

    @GuardedBy("this")
    private boolean planning;

    OpenFile(OpenFiles files, LeafLocator map) {
        this.files = files;
        this.map = map;
        this.version = map.plan().version();
        this.plannedNanos = files.context().ticker().nanos();
    }

    @Override
    public FileVersion version() {
        return version;
    }

    @Override
    public CompletableFuture<Integer> read(ByteBuffer target, long position) {
        if (position < 0) {
            throw new IllegalArgumentException("position: " + position + " (expected: >= 0)");
        }
        if (target.isReadOnly()) {
            throw new IllegalArgumentException("target: is read-only");
        }
        int length = (int) Math.min(target.remaining(), Math.max(0, version.sizeBytes() - position));
        CompletableFuture<Integer> result = isSmall(length) ? files.spinWait().result() : new CompletableFuture<>();
        CallerBuffer into = new CallerBuffer(target, length);
        reading.put(result, into);
        if (closed) {
            result.completeExceptionally(closed(version));
        } else if (!target.hasRemaining() || position >= version.sizeBytes()) {
            result.complete(target.hasRemaining() ? -1 : 0);
        } else {
            begin(into, new ByteRange(position, length), result);
        }
        var unused = result.whenComplete((bytes, failure) -> reading.remove(result));
        return result;
    }

    /** Returns whether the bytes are requested leaf by leaf. */
    private boolean isSmall(int length) {
        int leaves = map.plan().switches() > 0 ? DIRECT_LEAVES : 1;
        return length > 0 && length <= DIRECT_BYTES && (long) length <= (long) leaves * version.leafSizeBytes();
    }

    /** Reads; the buffer is its owner's again before the result is there. */
    private void begin(CallerBuffer into, ByteRange range, CompletableFuture<Integer> result) {
        planAgainIfOld();
        int length = (int) range.length();
        CompletableFuture<?> read = isSmall(length) ? readLeaves(into, range) : readOrdinarily(into, range);
        var unusedEnd = result.whenComplete((bytes, failure) -> {
            boolean unused = into.giveUp(); // when the caller cancels
            if (failure != null) {
                read.cancel(false);
            }
        });
        var unusedRead = read.whenComplete((nothing, failure) -> {
            if (failure == null && into.complete()) {
                result.complete(length);
            } else if (failure != null && into.giveUp()) {
                result.completeExceptionally(Reasons.unwrapped(failure));
            }
        });
    }

    private CompletableFuture<?> readOrdinarily(CallerBuffer into, ByteRange range) {
        GetRequest.Destination destination = GetRequest.Destination.target(
                (offset, piece) -> into.put(Math.toIntExact(offset - range.offset()), piece.duplicate()));
        return files.transfers().get(files.ordinary(map.plan(), destination, range));
    }

    private CompletableFuture<Void> readLeaves(CallerBuffer into, ByteRange range) {
        LeafLocator now = map;
        List<CompletableFuture<Void>> pieces = new ArrayList<>();
        return readChunk(now, into, range, range.offset(), pieces)
                .thenCompose(asked -> CompletableFuture.allOf(pieces.toArray(CompletableFuture[]::new)));
    }

    /** Requests the leaves of a chunk, then those of the next; completes when all are requested. */
    private CompletableFuture<Void> readChunk(
            LeafLocator now, CallerBuffer into, ByteRange range, long position, List<CompletableFuture<Void>> pieces) {
        return now.chunk(position).thenCompose(planned -> {
            long end = Math.min(range.end(), planned.chunk().range().end());
            int last = PlannedLeaf.at(now, planned, end - 1).leaf();
            for (int leaf = PlannedLeaf.at(now, planned, position).leaf(); leaf <= last; leaf++) {
                PlannedLeaf place = new PlannedLeaf(now, planned, leaf);
                pieces.add(leaf(place).thenAccept(bytes -> copy(bytes, place.inFile(), into, range)));
            }
            return end < range.end()
                    ? readChunk(now, into, range, end, pieces)
                    : CompletableFuture.completedFuture(null);
        });
    }

    private CompletableFuture<byte[]> leaf(PlannedLeaf place) {
        return files.leaves()
                .get(place.key(), place.length(), result -> new LeafFetch(files, this, place, result).begin());
    }

    /** Copies the wanted bytes of a leaf. */
    private static void copy(byte[] leaf, ByteRange there, CallerBuffer into, ByteRange range) {
        long from = Math.max(there.offset(), range.offset());
        long to = Math.min(there.end(), range.end());
        ByteBuffer wanted = ByteBuffer.wrap(leaf, (int) (from - there.offset()), (int) (to - from));
        into.put((int) (from - range.offset()), wanted);
    }

    private void planAgainIfOld() {
        synchronized (this) {
            if (files.context().ticker().nanos() - plannedNanos < PLAN_AGE_NANOS) {
                return;
            }
        }
        replan();
    }

    /**
     * Replaces the plan by a new one for the same version, if there is one, because switches change and tokens expire.
     */
    void replan() {
        synchronized (this) {
            if (planning || closed || files.context().ticker().nanos() - plannedNanos < PLAN_PAUSE_NANOS) {
                return;
            }
            planning = true;
        }
        var unused = files.map(version.file(), Optional.of(version.id())).whenComplete((made, failure) -> {
            if (made != null && made.plan().version().id().equals(version.id())) {
                map = made;
            }
            synchronized (this) {
                planning = false;
                plannedNanos = files.context().ticker().nanos();
            }
        });
    }

    static CloudMwException closed(FileVersion version) {
        return new CloudMwException(ErrorCode.CANCELLED, version.file() + ": it was closed");
    }

    @Override
    public void close() {
        closed = true;
        files.closed(this);
        reading.forEach((result, into) -> {
            if (into.giveUp()) {
                result.completeExceptionally(closed(version));
            }
        });
    }
}
