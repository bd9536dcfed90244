package io.cloudmw.client.handle;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.client.read.GetRequest;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.Reasons;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.FileVersion;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A version of a file, open to be read at any place. What was current when it was opened is read until it is closed, whatever is
 * put, renamed or removed meanwhile; whoever wants what is current then opens it anew. Safe for any thread.
 *
 * <p>It keeps its plan and its connections, so that a small read is one request to the switch that has the bytes, and what was read
 * last, so that a read beside it is none. Reads that want the same leaf share one request. Every byte was verified before it is given. Whatever goes wrong with the switch, the bytes are
 * read as {@link io.cloudmw.client.CloudMw#read} reads them; so are reads of more than {@value #DIRECT_BYTES} bytes, and all where a volume has no switches.
 */
@SuppressWarnings("CollectionUndefinedEquality") // the very same future is meant
public final class RemoteFile implements AutoCloseable {
    /** Longer reads gain nothing from being asked for leaf by leaf. */
    static final int DIRECT_BYTES = 1 << 20;

    /** The like in leaves: each is a stream. */
    static final int DIRECT_LEAVES = 16;

    private static final long PLAN_AGE_NANOS = Duration.ofMinutes(1).toNanos();
    private static final long PLAN_PAUSE_NANOS = Duration.ofSeconds(1).toNanos();

    private final OpenFiles files;
    private final FileVersion version;
    private final Set<CompletableFuture<Integer>> reading = ConcurrentHashMap.newKeySet();
    private volatile LeafLocator map;
    private volatile boolean closed;

    @GuardedBy("this")
    private long plannedNanos;

    @GuardedBy("this")
    private boolean planning;

    RemoteFile(OpenFiles files, LeafLocator map) {
        this.files = files;
        this.map = map;
        this.version = map.plan().version();
        this.plannedNanos = files.context().ticker().nanos();
    }

    /** What it reads. */
    public FileVersion version() {
        return version;
    }

    /**
     * Reads as many bytes as {@code target} has room for, fewer only where the file ends.
     *
     * @param target the caller's again when the future is done: its position is behind the bytes then. After a failure what is in it is
     *     not said
     * @param position of the first byte, at least 0
     * @return how many bytes; -1 when the file ends at or before {@code position} and there is room. Fails with
     *     {@code CANCELLED} when this is closed, or before it is done; else as {@link io.cloudmw.client.CloudMw#read}. Callbacks run on the
     *     client's threads and must not block them. While small reads follow one another fast, who waits for this very future waits
     *     awake for a moment ({@link io.cloudmw.client.CloudMwOptions#busyPoll}). Cancelling it gives nothing up but the result: {@code target} may still be written to for a moment
     * @throws IllegalArgumentException for a negative position or a buffer that cannot be written
     */
    public CompletableFuture<Integer> read(ByteBuffer target, long position) {
        if (position < 0) {
            throw new IllegalArgumentException("position: " + position + " (expected: >= 0)");
        }
        if (target.isReadOnly()) {
            throw new IllegalArgumentException("target: is read-only");
        }
        int length = (int) Math.min(target.remaining(), Math.max(0, version.sizeBytes() - position));
        CompletableFuture<Integer> result = isSmall(length) ? files.waiting().result() : new CompletableFuture<>();
        reading.add(result);
        if (closed) {
            result.completeExceptionally(closed(version));
        } else if (!target.hasRemaining() || position >= version.sizeBytes()) {
            result.complete(target.hasRemaining() ? -1 : 0);
        } else {
            begin(target, new ByteRange(position, length), result);
        }
        var unused = result.whenComplete((bytes, failure) -> reading.remove(result));
        return result;
    }

    /** Whether it is asked for leaf by leaf. */
    private boolean isSmall(int length) {
        return length > 0 && length <= DIRECT_BYTES && length / version.leafSizeBytes() < DIRECT_LEAVES;
    }

    private void begin(ByteBuffer target, ByteRange range, CompletableFuture<Integer> result) {
        planAgainIfOld();
        int length = (int) range.length();
        ByteBuffer into = target.slice(target.position(), length);
        CompletableFuture<Void> read = isSmall(length) ? readLeaves(into, range) : readOrdinarily(into, range);
        var unused = read.whenComplete((nothing, failure) -> {
            if (failure != null) {
                result.completeExceptionally(Reasons.unwrapped(failure));
            } else if (!result.isDone()) {
                target.position(target.position() + length);
                result.complete(length);
            }
        });
    }

    private CompletableFuture<Void> readOrdinarily(ByteBuffer into, ByteRange range) {
        GetRequest.Destination destination = GetRequest.Destination.target((offset, piece) -> into.duplicate()
                .position(Math.toIntExact(offset - range.offset()))
                .put(piece));
        return files.transfers()
                .get(files.ordinary(map.plan(), destination, range))
                .thenAccept(receipt -> {});
    }

    private CompletableFuture<Void> readLeaves(ByteBuffer into, ByteRange range) {
        LeafLocator now = map;
        List<CompletableFuture<Void>> pieces = new ArrayList<>();
        return readChunk(now, into, range, range.offset(), pieces)
                .thenCompose(asked -> CompletableFuture.allOf(pieces.toArray(CompletableFuture[]::new)));
    }

    /** Asks for the leaves of a chunk, then for those of the next; done when all are asked for. */
    private CompletableFuture<Void> readChunk(
            LeafLocator now, ByteBuffer into, ByteRange range, long position, List<CompletableFuture<Void>> pieces) {
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
        return files.window()
                .get(place.key(), place.length(), result -> new LeafFetch(files, this, place, result).begin());
    }

    /** What is wanted of a leaf. */
    private static void copy(byte[] leaf, ByteRange there, ByteBuffer into, ByteRange range) {
        long from = Math.max(there.offset(), range.offset());
        long to = Math.min(there.end(), range.end());
        into.duplicate().position((int) (from - range.offset())).put(leaf, (int) (from - there.offset()), (int)
                (to - from));
    }

    private void planAgainIfOld() {
        synchronized (this) {
            if (files.context().ticker().nanos() - plannedNanos < PLAN_AGE_NANOS) {
                return;
            }
        }
        planAgain();
    }

    /** Other switches may be there, and tokens end: a new plan for the same version takes this one's place, if there is one. */
    void planAgain() {
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

    /** Reads that are under way fail with {@code CANCELLED}, and so does every later one. Idempotent. */
    @Override
    public void close() {
        closed = true;
        files.closed(this);
        reading.forEach(result -> result.completeExceptionally(closed(version)));
    }
}
