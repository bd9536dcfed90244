package io.cloudmw.client.pack;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.client.context.ClientContext;
import io.cloudmw.client.context.ConfinedTransfer;
import io.cloudmw.client.context.Failures;
import io.cloudmw.client.file.FilePut;
import io.cloudmw.client.pack.PackTransfer.ReadyPlacement;
import io.cloudmw.client.progress.PutReceipt;
import io.cloudmw.client.rpc.coordinator.SmallFileCalls;
import io.cloudmw.client.write.FilePutSource;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.volume.Chunking;
import io.cloudmw.core.model.volume.Volume;
import io.cloudmw.core.thread.Threads;
import java.nio.charset.StandardCharsets;
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
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The queue of one client's small puts. Puts into one volume that come close together are stored as one pack. A put
 * begins at once while no pack of its volume is on its way. Otherwise it waits for others, until a pack is full or the
 * wait is over. Safe for any thread; nothing blocks.
 */
public final class SmallPuts {
    /** The largest pack, beside the volume's longest chunk. */
    static final long MAX_PACK_BYTES = 64 << 20;

    /** The most bytes of paths in one pack, so that its commit is a small message. */
    private static final long MAX_PATH_BYTES = 1 << 20;

    /** The packs of one volume on their way at once. */
    private static final int PACKS_IN_FLIGHT = 3;

    /** The most puts that wait, of all volumes; further ones fail. */
    static final int MAX_WAITING = 100_000;

    private static final int ALONE_AT_ONCE = 8;
    private static final long VOLUME_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** Tokens of placements live for minutes. */
    private static final long PLACEMENT_NANOS = TimeUnit.SECONDS.toNanos(30);

    /** The time for which no pack is made after a coordinator of a release before was met. */
    private static final long SINGLE_NANOS = TimeUnit.MINUTES.toNanos(1);

    /** Starts a transfer of a pack. */
    public interface Starter {
        <T> CompletableFuture<T> start(ConfinedTransfer<T> transfer, ToLongFunction<T> bytes);
    }

    private final ClientContext context;
    private final Starter packs;
    private final Function<FilePut, CompletableFuture<PutReceipt>> alone;
    private final long limitBytes;
    private final Duration delay;
    private final CallSlots aloneSlots = new CallSlots(ALONE_AT_ONCE);

    @GuardedBy("this")
    private final Map<VolumeName, Packing> volumes = new HashMap<>();

    @GuardedBy("this")
    private int waiting;

    /** The state of one volume. Guarded by the outer lock. */
    private static final class Packing {
        private final Queue<SmallPut> queue = new ArrayDeque<>();
        private long bytes;
        private int inFlight;
        private @Nullable Volume volume;
        private long askedNanos;
        private @Nullable CompletableFuture<Volume> asked;
        private Optional<ReadyPlacement> ready = Optional.empty();
        private @Nullable Future<?> timer;
        /** Until then the coordinators commit no packs; empty: they do. */
        private OptionalLong singleUntilNanos = OptionalLong.empty();

        boolean isFull() {
            return queue.size() >= SmallFileCalls.MAX_FILES || bytes >= mostBytes(Objects.requireNonNull(volume));
        }
    }

    /**
     * @param alone puts a file by itself
     * @param limitBytes the largest file that shares a pack
     * @param delay the time that a put waits for others
     */
    public SmallPuts(
            ClientContext context,
            Starter packs,
            Function<FilePut, CompletableFuture<PutReceipt>> alone,
            long limitBytes,
            Duration delay) {
        this.context = context;
        this.packs = packs;
        this.alone = alone;
        this.limitBytes = limitBytes;
        this.delay = delay;
    }

    /**
     * Puts files of one volume. Those that are small enough share packs; the others are put alone.
     *
     * @return a future for each file, in their order
     */
    public List<CompletableFuture<PutReceipt>> put(VolumeName volume, List<FilePut> files) {
        List<SmallPut> puts = files.stream().map(SmallPut::new).toList();
        context.threads().files().execute(() -> measure(volume, puts));
        return List.copyOf(puts.stream().map(put -> put.call().result()).toList());
    }

    private void measure(VolumeName volume, List<SmallPut> puts) {
        List<SmallPut> small = new ArrayList<>();
        for (SmallPut put : puts) {
            try {
                put.measured(FilePutSource.size(put.file().source()));
                if (put.sizeBytes() > limitBytes) {
                    putAlone(put);
                } else {
                    small.add(put);
                }
            } catch (CloudMwException e) {
                put.call().fail(e);
            }
        }
        if (small.isEmpty()) {
            return;
        }
        var unused = known(volume).whenComplete((known, failure) -> {
            if (known == null) {
                CloudMwException cause = Failures.of(failure == null ? new IllegalStateException() : failure);
                small.forEach(put -> put.call().fail(cause));
            } else {
                enqueue(known, small);
            }
        });
    }

    private synchronized CompletableFuture<Volume> known(VolumeName name) {
        Packing packing = volumes.computeIfAbsent(name, ignored -> new Packing());
        CompletableFuture<Volume> asked = packing.asked;
        boolean fresh = context.ticker().nanos() - packing.askedNanos < VOLUME_NANOS;
        if (asked != null && (!asked.isDone() || (fresh && !asked.isCompletedExceptionally()))) {
            return asked;
        }
        CompletableFuture<Volume> call = context.coordinator().volume(name);
        packing.asked = call;
        packing.askedNanos = context.ticker().nanos();
        return call;
    }

    private void enqueue(Volume volume, List<SmallPut> puts) {
        List<SmallPut> tooMany = new ArrayList<>();
        List<SmallPut> single = new ArrayList<>();
        List<PackTransfer> begun;
        synchronized (this) {
            Packing packing = volumes.computeIfAbsent(volume.name(), ignored -> new Packing());
            packing.volume = volume;
            boolean packs = packing.singleUntilNanos.isEmpty()
                    || context.ticker().nanos() - packing.singleUntilNanos.getAsLong() >= 0;
            for (SmallPut put : puts) {
                if (!packs || !isOneChunk(volume, put.sizeBytes())) {
                    single.add(put);
                } else if (waiting >= MAX_WAITING) {
                    tooMany.add(put);
                } else {
                    packing.queue.add(put);
                    packing.bytes += put.sizeBytes();
                    waiting++;
                }
            }
            begun = fill(packing);
        }
        tooMany.forEach(put -> put.call()
                .fail(new CloudMwException(
                        ErrorCode.OVERLOADED,
                        put.file().target() + ": " + MAX_WAITING
                                + " small puts of this client wait (wait for some of them before more)")));
        single.forEach(this::putAlone);
        begun.forEach(this::start);
    }

    private static boolean isOneChunk(Volume volume, long sizeBytes) {
        return volume.chunking().chunkSizeBytes(sizeBytes) >= sizeBytes;
    }

    /** Returns the packs that begin now. */
    @GuardedBy("this")
    private List<PackTransfer> fill(Packing packing) {
        List<PackTransfer> begun = new ArrayList<>();
        while (!packing.queue.isEmpty() && packing.inFlight < PACKS_IN_FLIGHT) {
            if (packing.inFlight > 0 && !packing.isFull()) {
                waitForMore(packing);
                break;
            }
            begun.add(next(packing));
        }
        return begun;
    }

    private static long mostBytes(Volume volume) {
        return Math.min(MAX_PACK_BYTES, Chunking.maxChunkBytes(volume.chunking().leafSizeBytes()));
    }

    @GuardedBy("this")
    private void waitForMore(Packing packing) {
        if (packing.timer == null) {
            packing.timer = Threads.later(
                            context.threads().timer(),
                            delay.toNanos(),
                            () -> context.threads().events().execute(() -> waited(packing)))
                    .orElse(null);
        }
    }

    private void waited(Packing packing) {
        Optional<PackTransfer> begun = Optional.empty();
        synchronized (this) {
            packing.timer = null;
            if (!packing.queue.isEmpty() && packing.inFlight < PACKS_IN_FLIGHT) {
                begun = Optional.of(next(packing));
            }
        }
        begun.ifPresent(this::start);
    }

    @GuardedBy("this")
    private PackTransfer next(Packing packing) {
        Volume volume = Objects.requireNonNull(packing.volume);
        List<SmallPut> puts = new ArrayList<>();
        long bytes = 0;
        long pathBytes = 0;
        while (!packing.queue.isEmpty() && puts.size() < SmallFileCalls.MAX_FILES) {
            SmallPut put = packing.queue.element();
            bytes += put.sizeBytes();
            pathBytes += put.file().target().path().getBytes(StandardCharsets.UTF_8).length;
            if (!puts.isEmpty() && (bytes > mostBytes(volume) || pathBytes > MAX_PATH_BYTES)) {
                break;
            }
            puts.add(packing.queue.remove());
            packing.bytes -= put.sizeBytes();
            waiting--;
        }
        packing.inFlight++;
        Optional<ReadyPlacement> ready =
                packing.ready.filter(placement -> context.ticker().nanos() - placement.atNanos() < PLACEMENT_NANOS);
        packing.ready = Optional.empty();
        return new PackTransfer(context, volume, puts, ready);
    }

    private void start(PackTransfer pack) {
        CompletableFuture<PackTransfer.Receipt> work = SharedCall.follow(
                pack.puts().stream().map(SmallPut::call).toList(), packs.start(pack, PackTransfer.Receipt::bytes));
        var unused = work.whenComplete((receipt, failure) -> {
            if (receipt != null) {
                ended(pack, receipt);
            } else {
                failed(pack, Failures.of(failure == null ? new IllegalStateException() : failure));
            }
        });
    }

    private void ended(PackTransfer pack, PackTransfer.Receipt receipt) {
        go(pack, receipt.next());
        for (int i = 0; i < receipt.outcomes().size(); i++) {
            SmallPut put = pack.puts().get(i);
            if (receipt.outcomes().get(i) instanceof PackTransfer.Outcome.Stored stored) {
                put.call().complete(stored.receipt());
            } else if (receipt.outcomes().get(i) instanceof PackTransfer.Outcome.Failed failed) {
                put.call().fail(failed.cause());
            }
        }
    }

    /**
     * Handles a failed pack. Each file is put alone when one of them changed between two tries, or when the coordinator
     * is of a release before packs.
     */
    private void failed(PackTransfer pack, CloudMwException cause) {
        boolean isUnknown = SmallFileCalls.isUnknown(cause);
        if (isUnknown) {
            synchronized (this) {
                volumes.computeIfAbsent(pack.volume(), ignored -> new Packing()).singleUntilNanos =
                        OptionalLong.of(context.ticker().nanos() + SINGLE_NANOS);
            }
        }
        go(pack, Optional.empty());
        boolean again = isUnknown || cause.code() == ErrorCode.LOCAL_IO;
        for (SmallPut put : pack.puts()) {
            if (again) {
                putAlone(put);
            } else {
                put.call().fail(cause);
            }
        }
    }

    private void go(PackTransfer pack, Optional<ReadyPlacement> next) {
        List<PackTransfer> begun;
        synchronized (this) {
            Packing packing = volumes.computeIfAbsent(pack.volume(), ignored -> new Packing());
            packing.inFlight--;
            if (next.isPresent()) {
                packing.ready = next;
            }
            begun = fill(packing);
        }
        begun.forEach(this::start);
    }

    private void putAlone(SmallPut put) {
        put.call().runAlone(aloneSlots, () -> alone.apply(put.file()), receipt -> receipt);
    }
}
