package io.cloudmw.coordinator.watch;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.file.Change;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A sink that keeps what it receives. */
class RecordingSink implements WatchSink {
    @GuardedBy("this")
    private final List<Change> changes = new ArrayList<>();

    @GuardedBy("this")
    private final List<Long> lost = new ArrayList<>();

    @GuardedBy("this")
    private int calls;

    @GuardedBy("this")
    private long position = -1;

    private volatile boolean ready = true;
    private volatile boolean ended;
    private volatile @Nullable CloudMwException failure;

    void setReady(boolean now) {
        ready = now;
    }

    @Override
    public boolean isReady() {
        return ready;
    }

    @Override
    public synchronized void told(List<Change> told, long upTo) {
        changes.addAll(told);
        position = upTo;
        calls++;
    }

    @Override
    public synchronized void lost(long upTo) {
        lost.add(upTo);
        position = upTo;
    }

    @Override
    public void end() {
        ended = true;
    }

    @Override
    public void failed(CloudMwException reason) {
        failure = reason;
    }

    synchronized List<Change> changes() {
        return List.copyOf(changes);
    }

    synchronized List<String> paths() {
        return changes.stream().map(Change::path).toList();
    }

    synchronized List<Long> lost() {
        return List.copyOf(lost);
    }

    /** Returns the last position; -1 before any. */
    synchronized long position() {
        return position;
    }

    synchronized int calls() {
        return calls;
    }

    boolean ended() {
        return ended;
    }

    @Nullable
    CloudMwException failure() {
        return failure;
    }
}
