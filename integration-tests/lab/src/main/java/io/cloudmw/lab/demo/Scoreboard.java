package io.cloudmw.lab.demo;

import io.cloudmw.client.progress.Attempt;
import io.cloudmw.client.progress.TransferListener;
import io.cloudmw.client.progress.Win;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.file.FileVersion;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A record of one transfer's events. The transfer's thread writes, the display's thread reads; every method is
 * synchronized.
 */
final class Scoreboard implements TransferListener {
    /** The identity of an attempt: one try of one racer in one round. */
    private record Key(int block, String racer, int number) {}

    private final Map<Key, Attempt> attempts = new LinkedHashMap<>();
    private final List<Win> wins = new ArrayList<>();
    private final List<String> gone = new ArrayList<>();
    private long delivered;
    private long total;

    @Override
    public synchronized void planned(FileVersion version, List<String> racers) {
        total = version.sizeBytes();
    }

    @Override
    public synchronized void progressed(long done, long of) {
        delivered = done;
        total = of;
    }

    @Override
    public synchronized void attempted(Attempt attempt) {
        attempts.put(new Key(attempt.block(), attempt.racer(), attempt.number()), attempt);
    }

    @Override
    public synchronized void won(Win win) {
        wins.add(win);
    }

    @Override
    public synchronized void racerGone(String racer, ErrorCode why) {
        gone.add(racer);
    }

    synchronized long delivered() {
        return delivered;
    }

    synchronized long total() {
        return total;
    }

    synchronized List<Attempt> attempts() {
        return List.copyOf(attempts.values());
    }

    synchronized List<Win> wins() {
        return List.copyOf(wins);
    }

    synchronized List<String> gone() {
        return List.copyOf(gone);
    }
}
