package io.cloudmw.client.pack;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.client.context.ClientContext;
import io.cloudmw.client.context.ConfinedTransfer;
import io.cloudmw.client.context.Failures;
import io.cloudmw.client.context.PutTerms;
import io.cloudmw.client.file.FilePut;
import io.cloudmw.client.progress.PutReceipt;
import io.cloudmw.client.rpc.coordinator.SmallFileCalls;
import io.cloudmw.client.write.PutSource;
import io.cloudmw.client.write.StreamPutSource;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.volume.Chunking;
import io.cloudmw.core.model.volume.Volume;
import io.cloudmw.core.thread.Threads;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The queue of one client's small puts. Puts into one volume that come close together are stored as one batch, which is a
 * pack when it has several files. A put begins at once while no batch of its volume is on its way. Otherwise it waits for
 * others, until a batch is full or the wait is over. A put that is too large to share a pack is a batch of its own and
 * never waits. Safe for any thread; nothing blocks.
 */
public final class SmallPuts {
    /** The largest pack, beside the volume's longest chunk. */
    static final long MAX_PACK_BYTES = 64 << 20;

    /** The most bytes of paths in one batch, so that its commit is a small message. */
    private static final long MAX_PATH_BYTES = 1 << 20;

    /** The batches of one volume on their way at once. */
    private static final int BATCHES_IN_FLIGHT = 3;

    /** The most single puts of a client that wait, in all volumes. A further one fails. */
    public static final int MAX_WAITING = 100_000;

    /** The largest single put that is committed in one call: a block of a read. */
    public static final long MAX_SINGLE_BYTES = 8 << 20;

    private static final int ALONE_AT_ONCE = 8;

    /** The most volumes that are remembered, unless more have puts on their way. */
    static final int MAX_VOLUMES = 1000;

    /** The time for which a volume's description is used. A later put asks for it again, with a placement. */
    private static final long VOLUME_NANOS = TimeUnit.MINUTES.toNanos(1);

    /** The time for which puts are not batched after a coordinator of an earlier release, which knows no batches. */
    private static final long SINGLE_NANOS = TimeUnit.MINUTES.toNanos(1);

    /** Starts transfers of batches. */
    public interface Starter {
        /** Starts the transfer of a batch of so many files. */
        <T> CompletableFuture<T> start(ConfinedTransfer<T> transfer, ToLongFunction<T> bytes, int files);
    }

    /**
     * The rules of batches.
     *
     * @param limitBytes the largest file that shares a pack; 0: none does
     * @param singleLimitBytes the largest local file with a call of its own that is a batch, at least {@code limitBytes}
     * @param delay the time that a put waits for others
     * @param callTime the time after which a call of the coordinator is given up
     * @param mostWaiting the most single puts that wait, from their call on; puts of many files wait in {@link PutWindow}
     */
    public record Rules(long limitBytes, long singleLimitBytes, Duration delay, Duration callTime, int mostWaiting) {}

    private final ClientContext context;
    private final Starter starter;
    private final Function<FilePut, CompletableFuture<PutReceipt>> alone;
    private final Rules rules;
    private final CallSlots aloneSlots = new CallSlots(ALONE_AT_ONCE);
    private final CallSlots unlimited = new CallSlots(Integer.MAX_VALUE);
    private final PutWindow window;

    @GuardedBy("this")
    private final Map<VolumeName, Packing> volumes = new HashMap<>();

    /** With this number of volumes, idle ones are forgotten before a further one is added. */
    @GuardedBy("this")
    private int mostVolumes = MAX_VOLUMES;

    @GuardedBy("this")
    private int waiting;

    /** The state of one volume. Guarded by the outer lock. */
    private static final class Packing {
        private final Queue<SmallPut> queue = new ArrayDeque<>();
        private long bytes;
        private int inFlight;
        private @Nullable KnownVolume volume;
        private long askedNanos;
        private @Nullable CompletableFuture<KnownVolume> asked;
        private Optional<ReadyPlacement> ready = Optional.empty();
        private @Nullable Future<?> timer;
        /** The first in the queue has waited long enough. */
        private boolean due;
        /** Until then the coordinators commit no batches; empty: they do. */
        private OptionalLong singleUntilNanos = OptionalLong.empty();

        boolean isFull() {
            return queue.size() >= SmallFileCalls.MAX_FILES || bytes >= mostBytes(described());
        }

        /** Returns whether nothing is queued or on its way. Such a volume may be forgotten: its next put asks for it. */
        boolean isIdle() {
            return queue.isEmpty() && inFlight == 0;
        }

        boolean isBeingAsked() {
            return asked != null && !asked.isDone();
        }

        Volume described() {
            return Objects.requireNonNull(volume).volume();
        }

        boolean takesBatches(long nowNanos) {
            return singleUntilNanos.isEmpty() || nowNanos - singleUntilNanos.getAsLong() >= 0;
        }

        void forget() {
            asked = null;
            ready = Optional.empty();
        }
    }

    /** @param alone puts one of many files by itself */
    public SmallPuts(
            ClientContext context,
            Starter starter,
            Function<FilePut, CompletableFuture<PutReceipt>> alone,
            Rules rules) {
        this.context = context;
        this.starter = starter;
        this.alone = alone;
        this.rules = rules;
        window = new PutWindow(rules.mostWaiting(), this::measure);
    }

    /**
     * Puts files of one volume, any number. Those that are small enough share packs; the others are put alone. Some are
     * begun at once, further ones as those leave the queue.
     *
     * @return a future for each file, in their order
     */
    public List<CompletableFuture<PutReceipt>> put(VolumeName volume, List<FilePut> files) {
        List<SmallPut> puts = files.stream()
                .map(file -> SmallPut.ofMany(file, () -> alone.apply(file)))
                .toList();
        window.add(volume, puts);
        return List.copyOf(puts.stream().map(put -> put.call().result()).toList());
    }

    /**
     * Puts one file, together with others that come close to it, if it is small enough.
     *
     * @param terms without locks
     * @param mostBytes a larger file is put alone
     * @param byItself puts the file alone
     */
    public CompletableFuture<PutReceipt> put(
            Path source,
            FilePath target,
            PutTerms terms,
            long mostBytes,
            Supplier<CompletableFuture<PutReceipt>> byItself) {
        SmallPut put = SmallPut.single(target, new LocalContent(source, OptionalLong.empty()), terms, byItself);
        return begin(context.threads().files(), put, Math.min(mostBytes, rules.singleLimitBytes()));
    }

    /**
     * Puts a stream of known length, together with files that come close to it. The stream is read to its end first.
     *
     * @param sizeBytes at most {@link Rules#limitBytes}
     * @param terms without locks
     * @param byItself puts what the stream had alone
     */
    public CompletableFuture<PutReceipt> put(
            StreamPutSource source,
            long sizeBytes,
            FilePath target,
            PutTerms terms,
            Function<PutSource, CompletableFuture<PutReceipt>> byItself) {
        StreamContent content = new StreamContent(source, sizeBytes);
        SmallPut put = SmallPut.single(target, content, terms, () -> byItself.apply(content.whole()));
        var unused = put.call().result().whenComplete((receipt, failure) -> content.stop());
        return begin(context.threads().sources(), put, rules.limitBytes());
    }

    private CompletableFuture<PutReceipt> begin(Executor where, SmallPut put, long limitBytes) {
        if (window.addSingle()) {
            measure(where, put.path().volume(), List.of(put), limitBytes);
        } else {
            put.call()
                    .fail(new CloudMwException(
                            ErrorCode.OVERLOADED,
                            put.path() + ": " + rules.mostWaiting()
                                    + " small puts of this client wait (wait for some of them before more)"));
        }
        return put.call().result();
    }

    /** The puts in the queue: they wait for others, or for room on the way. */
    public synchronized int waiting() {
        return waiting;
    }

    private void measure(PutWindow.Portion portion) {
        measure(context.threads().files(), portion.volume(), portion.puts(), rules.limitBytes());
    }

    private void measure(Executor where, VolumeName volume, List<SmallPut> puts, long limitBytes) {
        try {
            where.execute(() -> {
                List<SmallPut> small = new ArrayList<>();
                List<SmallPut> large = new ArrayList<>();
                for (SmallPut put : puts) {
                    try {
                        put.measure();
                        (put.sizeBytes() > limitBytes ? large : small).add(put);
                    } catch (CloudMwException | RuntimeException | Error e) {
                        fail(List.of(put), e);
                    }
                }
                putAlone(large);
                if (!small.isEmpty()) {
                    enqueue(volume, small);
                }
            });
        } catch (RejectedExecutionException | OutOfMemoryError e) {
            fail(puts, Failures.clientClosed());
        }
    }

    /** Fails puts that are not queued. */
    private void fail(List<SmallPut> puts, Throwable cause) {
        window.leave(puts);
        puts.forEach(put -> put.call().fail(cause));
        window.beginMore();
    }

    /** Puts files alone that are not queued. */
    private void putAlone(List<SmallPut> puts) {
        window.leave(puts);
        puts.forEach(this::putAlone);
        window.beginMore();
    }

    private void enqueue(VolumeName volume, List<SmallPut> puts) {
        boolean batches;
        synchronized (this) {
            batches = packing(volume).takesBatches(context.ticker().nanos());
        }
        if (!batches) {
            putAlone(puts);
            return;
        }
        long bytes = puts.stream().mapToLong(SmallPut::sizeBytes).sum();
        var unused = known(volume, Math.max(1, Math.min(bytes, MAX_PACK_BYTES))).whenComplete((known, failure) -> {
            if (known == null) {
                fail(puts, Failures.of(failure == null ? new IllegalStateException() : failure));
            } else {
                enqueue(known, puts);
            }
        });
    }

    /** The number of volumes that are remembered. */
    synchronized int volumes() {
        return volumes.size();
    }

    @GuardedBy("this")
    private Packing packing(VolumeName volume) {
        if (volumes.size() >= mostVolumes && !volumes.containsKey(volume)) {
            volumes.values().removeIf(packing -> packing.isIdle() && !packing.isBeingAsked());
            // Where most of them are busy, the next search for idle ones waits for many more.
            mostVolumes = Math.max(MAX_VOLUMES, 2 * volumes.size());
        }
        return volumes.computeIfAbsent(volume, ignored -> new Packing());
    }

    private synchronized CompletableFuture<KnownVolume> known(VolumeName name, long bytes) {
        Packing packing = packing(name);
        CompletableFuture<KnownVolume> asked = packing.asked;
        boolean fresh = context.ticker().nanos() - packing.askedNanos < VOLUME_NANOS;
        if (asked != null && (!asked.isDone() || (fresh && !asked.isCompletedExceptionally()))) {
            return asked;
        }
        VersionId first = VersionId.random();
        CompletableFuture<KnownVolume> call = context.coordinator()
                .smallFiles()
                .prepare(name, new SmallFileCalls.WantedPlacement(first, bytes))
                .thenApply(prepared -> {
                    long now = context.ticker().nanos();
                    prepared.next().ifPresent(placed -> ready(name, ReadyPlacement.of(first, placed, now)));
                    return new KnownVolume(prepared.volume(), prepared.coordinatorMillis(), now);
                })
                .whenComplete((known, failure) -> {
                    if (failure != null) {
                        forget(name);
                    }
                });
        packing.asked = call;
        packing.askedNanos = context.ticker().nanos();
        return call;
    }

    /** Forgets a volume that could not be looked up. */
    private synchronized void forget(VolumeName volume) {
        Packing packing = volumes.get(volume);
        if (packing != null && packing.isIdle()) {
            volumes.remove(volume);
        }
    }

    private synchronized void ready(VolumeName volume, ReadyPlacement placement) {
        packing(volume).ready = Optional.of(placement);
    }

    private void enqueue(KnownVolume known, List<SmallPut> puts) {
        List<SmallPut> single = new ArrayList<>();
        List<PackTransfer> begun = new ArrayList<>();
        synchronized (this) {
            Packing packing = packing(known.volume().name());
            packing.volume = known;
            for (SmallPut put : puts) {
                if (!canBeInABatch(known, put)) {
                    single.add(put);
                } else if (put.sizeBytes() > rules.limitBytes()) {
                    window.leave(List.of(put));
                    begun.add(batch(packing, List.of(put)));
                } else {
                    packing.queue.add(put);
                    packing.bytes += put.sizeBytes();
                    waiting++;
                }
            }
            begun.addAll(fill(packing));
        }
        begun.forEach(this::start);
        putAlone(single);
    }

    /**
     * Returns whether a put can be in a batch: it has one chunk. A single put without a condition also needs a coordinator
     * that refuses a commit after its client has given it up: one that came late could replace what the client wrote since.
     */
    private static boolean canBeInABatch(KnownVolume known, SmallPut put) {
        boolean oneChunk = known.volume().chunking().chunkSizeBytes(put.sizeBytes()) >= put.sizeBytes();
        boolean safe = !put.isSingle()
                || put.condition().isPresent()
                || known.coordinatorMillis().isPresent();
        return oneChunk && safe;
    }

    /** Returns the batches that begin now. */
    @GuardedBy("this")
    private List<PackTransfer> fill(Packing packing) {
        List<PackTransfer> begun = new ArrayList<>();
        while (!packing.queue.isEmpty() && packing.inFlight < BATCHES_IN_FLIGHT) {
            if (packing.inFlight > 0 && !packing.due && !packing.isFull() && waitsForMore(packing)) {
                break;
            }
            next(packing).ifPresent(begun::add);
        }
        return begun;
    }

    private static long mostBytes(Volume volume) {
        return Math.min(MAX_PACK_BYTES, Chunking.maxChunkBytes(volume.chunking().leafSizeBytes()));
    }

    /** Returns false when the timer is closing: nothing is waited for. */
    @GuardedBy("this")
    private boolean waitsForMore(Packing packing) {
        if (packing.timer == null) {
            packing.timer = Threads.later(
                            context.threads().timer(),
                            rules.delay().toNanos(),
                            () -> context.threads().events().execute(() -> waited(packing)))
                    .orElse(null);
        }
        return packing.timer != null;
    }

    private void waited(Packing packing) {
        List<PackTransfer> begun;
        synchronized (this) {
            packing.timer = null;
            packing.due = !packing.queue.isEmpty();
            begun = fill(packing);
        }
        begun.forEach(this::start);
        window.beginMore();
    }

    /** Returns the next batch; empty: nobody waits for what is queued any more. */
    @GuardedBy("this")
    private Optional<PackTransfer> next(Packing packing) {
        long most = mostBytes(packing.described());
        int leaf = packing.described().chunking().leafSizeBytes();
        List<SmallPut> puts = new ArrayList<>();
        List<SmallPut> gone = new ArrayList<>();
        long bytes = 0;
        long pathBytes = 0;
        while (!packing.queue.isEmpty() && puts.size() < SmallFileCalls.MAX_FILES) {
            SmallPut put = packing.queue.element();
            boolean wanted = !put.call().isDone();
            if (wanted) {
                // With the room before the file: the pack must not have more leaves than a chunk may have.
                bytes = PackLayout.bytesWith(bytes, put.sizeBytes(), leaf);
                pathBytes += put.path().path().getBytes(StandardCharsets.UTF_8).length;
                if (!puts.isEmpty() && (bytes > most || pathBytes > MAX_PATH_BYTES)) {
                    break;
                }
                puts.add(put);
            } else {
                gone.add(put);
                put.call().end();
            }
            packing.queue.remove();
            packing.bytes -= put.sizeBytes();
            waiting--;
        }
        packing.due = false;
        window.leave(puts);
        window.leave(gone);
        if (puts.isEmpty()) {
            return Optional.empty();
        }
        packing.inFlight++;
        return Optional.of(batch(packing, puts));
    }

    @GuardedBy("this")
    private PackTransfer batch(Packing packing, List<SmallPut> puts) {
        KnownVolume volume = Objects.requireNonNull(packing.volume);
        return new PackTransfer(
                context, new PackTransfer.Prepared(volume, placement(packing, puts)), puts, rules.callTime());
    }

    /** Returns whether a batch has room for others: those of larger files do not count among the batches on their way. */
    private boolean isShareable(PackTransfer pack) {
        return pack.puts().get(0).sizeBytes() <= rules.limitBytes();
    }

    /** Takes the placement that is ready, if it is fresh and can be used. */
    @GuardedBy("this")
    private Optional<ReadyPlacement> placement(Packing packing, List<SmallPut> puts) {
        if (!PackTransfer.canUsePlacement(puts)) {
            return Optional.empty();
        }
        long now = context.ticker().nanos();
        Optional<ReadyPlacement> ready = packing.ready.filter(placement -> placement.isFresh(now));
        packing.ready = Optional.empty();
        return ready;
    }

    private void start(PackTransfer pack) {
        List<SmallPut> puts = pack.puts();
        CompletableFuture<PackTransfer.Receipt> work = SharedCall.follow(
                puts.stream().map(SmallPut::call).toList(),
                starter.start(pack, PackTransfer.Receipt::bytes, puts.size()));
        var unused = work.whenComplete((receipt, failure) -> {
            if (receipt != null) {
                ended(pack, receipt);
            } else {
                failed(pack, Failures.of(failure == null ? new IllegalStateException() : failure));
            }
        });
    }

    private void ended(PackTransfer pack, PackTransfer.Receipt receipt) {
        go(pack, unchanged -> {});
        for (int i = 0; i < receipt.outcomes().size(); i++) {
            SmallPut put = pack.puts().get(i);
            if (receipt.outcomes().get(i) instanceof PackTransfer.Outcome.Stored stored) {
                put.call().complete(stored.receipt());
            } else if (receipt.outcomes().get(i) instanceof PackTransfer.Outcome.Failed failed) {
                refused(put, failed.cause());
            }
        }
    }

    /** Handles a failed batch. */
    private void failed(PackTransfer pack, CloudMwException cause) {
        boolean isUnknown = SmallFileCalls.isUnknown(cause);
        boolean isOne = pack.puts().size() == 1;
        boolean isRefusal = pack.isAskedToCommit() && mayPassAlone(cause);
        boolean isOfTheBatch = !pack.isAskedToCommit() && isDefect(cause);
        go(pack, packing -> {
            if (isUnknown) {
                packing.singleUntilNanos = OptionalLong.of(context.ticker().nanos() + SINGLE_NANOS);
            }
            if (!isOfTheFile(pack, cause)) {
                packing.forget();
            }
        });
        for (SmallPut put : pack.puts()) {
            if (isUnknown || isOfTheBatch || (!isOne && (isRefusal || cause.code() == ErrorCode.LOCAL_IO))) {
                putAlone(put);
            } else if (isRefusal) {
                refused(put, cause);
            } else if (pack.isAskedToCommit() && Failures.mayBeCommitted(cause.code())) {
                put.call().fail(Failures.uncertain(cause, pack.version(put)));
            } else {
                put.call().fail(cause);
            }
        }
    }

    /** Returns whether a failure says nothing about the volume or a placement there. */
    private static boolean isOfTheFile(PackTransfer pack, CloudMwException cause) {
        return switch (cause.code()) {
            case CANCELLED, LOCAL_IO, ALREADY_EXISTS, NOT_FOUND -> true;
            case CONFLICT ->
                pack.puts().size() == 1 && pack.puts().get(0).condition().isPresent();
            default -> false;
        };
    }

    /**
     * Handles the refusal of one file. It is put alone when that may succeed: its commit came too late, or the volume may
     * have changed. A version that met a conflict is not committed any more, so the put must be free to have another.
     */
    private void refused(SmallPut put, CloudMwException cause) {
        boolean isOver = cause.code() == ErrorCode.CONFLICT && (put.condition().isPresent() || !put.isSingle());
        if (mayPassAlone(cause) && !isOver) {
            putAlone(put);
        } else {
            put.call().fail(cause);
        }
    }

    private static boolean mayPassAlone(CloudMwException refusal) {
        return switch (refusal.code()) {
            case CONFLICT, INVALID_ARGUMENT, QUORUM_NOT_MET, DEADLINE_EXCEEDED -> true;
            default -> false;
        };
    }

    /**
     * Returns whether a failure before the commit may come from the making of the batch. Nothing was committed then, so
     * each file is put alone, once.
     */
    private static boolean isDefect(CloudMwException cause) {
        return cause.code() == ErrorCode.INTERNAL || cause.code() == ErrorCode.INVALID_ARGUMENT;
    }

    private void go(PackTransfer pack, Consumer<Packing> change) {
        List<PackTransfer> begun;
        synchronized (this) {
            Packing packing = packing(pack.volume());
            if (isShareable(pack)) {
                packing.inFlight--;
            }
            pack.next().ifPresent(placement -> packing.ready = Optional.of(placement));
            change.accept(packing);
            begun = fill(packing);
        }
        begun.forEach(this::start);
        window.beginMore();
    }

    private void putAlone(SmallPut put) {
        CallSlots slots = put.isSingle() ? unlimited : aloneSlots;
        put.call().runAlone(slots, put::alone, receipt -> receipt);
    }
}
