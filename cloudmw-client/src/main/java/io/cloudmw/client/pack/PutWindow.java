package io.cloudmw.client.pack;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.core.model.VolumeName;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A limit on the puts that are begun and have not left the queue yet. The rest of a call with many files waits here, in
 * portions. A put with a call of its own is refused instead. Safe for any thread.
 */
final class PutWindow {
    /** The most puts that are measured or queued, of all calls with many files together. */
    static final int MAX_BEGUN = 20_000;

    private static final int PORTION = 1000;

    /** Some puts of one call. */
    record Portion(VolumeName volume, List<SmallPut> puts) {}

    private final int mostSingle;
    private final Consumer<Portion> begin;

    @GuardedBy("this")
    private final Queue<Portion> portions = new ArrayDeque<>();

    @GuardedBy("this")
    private int begun;

    /** The single puts that are measured or queued. */
    @GuardedBy("this")
    private int single;

    /** Whether a thread begins portions. */
    @GuardedBy("this")
    private boolean beginning;

    /**
     * @param mostSingle the most single puts
     * @param begin begins the puts of a portion; each leaves the window later, once
     */
    PutWindow(int mostSingle, Consumer<Portion> begin) {
        this.mostSingle = mostSingle;
        this.begin = begin;
    }

    /** Begins the puts of one call as there is room for them. */
    void add(VolumeName volume, List<SmallPut> puts) {
        synchronized (this) {
            for (int from = 0; from < puts.size(); from += PORTION) {
                portions.add(new Portion(volume, puts.subList(from, Math.min(puts.size(), from + PORTION))));
            }
        }
        beginMore();
    }

    /** Adds a single put, which leaves the window later, once. Returns false when there are too many. */
    synchronized boolean addSingle() {
        if (single >= mostSingle) {
            return false;
        }
        single++;
        return true;
    }

    /** The puts are not queued, or not any more. {@link #beginMore} is called afterwards. */
    synchronized void leave(List<SmallPut> puts) {
        int leaving = (int) puts.stream().filter(SmallPut::isSingle).count();
        single -= leaving;
        begun -= puts.size() - leaving;
    }

    /** Begins what there is room for; in a loop, as a portion may fail at once. */
    void beginMore() {
        synchronized (this) {
            if (beginning) {
                return;
            }
            beginning = true;
        }
        for (Portion next = next(); next != null; next = next()) {
            begin.accept(next);
        }
    }

    private synchronized @Nullable Portion next() {
        Portion next = begun <= MAX_BEGUN - PORTION ? portions.poll() : null;
        if (next == null) {
            beginning = false;
        } else {
            begun += next.puts().size();
        }
        return next;
    }
}
