package io.cloudmw.client.transfer;

import io.cloudmw.client.progress.Attempt;
import io.cloudmw.client.progress.AttemptState;
import io.cloudmw.client.progress.GetReceipt;
import io.cloudmw.client.progress.ReplicaFault;
import io.cloudmw.client.progress.TransferListener;
import io.cloudmw.client.progress.Win;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.FileVersion;
import io.cloudmw.core.model.StoreId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts what a get does and tells its listener. Sums count everything; rows are kept up to a limit. Confined to the
 * transfer.
 */
final class ReadLedger {
    private record Key(int block, String racer, StoreId store, int number) {}

    private static final Logger log = LoggerFactory.getLogger(ReadLedger.class);

    private final TransferListener listener;
    private final Map<Key, Attempt> live = new HashMap<>();
    private final List<Attempt> rows = new ArrayList<>();
    private final List<Win> wins = new ArrayList<>();
    private final Set<ReplicaFault> faults = new HashSet<>();
    private long fetchedBytes;
    private long attempts;
    private long cancelled;
    private long bytes;
    private long chunks;

    ReadLedger(TransferListener listener) {
        this.listener = listener;
    }

    void attempted(Attempt attempt) {
        Key key = new Key(attempt.block(), attempt.racer(), attempt.store(), attempt.number());
        Attempt before = live.get(key);
        if (before == null) {
            if (attempt.state() != AttemptState.STARTED && attempt.state() != AttemptState.PROGRESSED) {
                if (attempt.bytes() == 0 && attempt.state() == AttemptState.CANCELLED) {
                    return; // never started
                }
            }
            attempts++;
        }
        fetchedBytes += attempt.bytes() - (before == null ? 0 : before.bytes());
        if (attempt.state().isOver()) {
            live.remove(key);
            cancelled += attempt.state() == AttemptState.CANCELLED ? 1 : 0;
            if (rows.size() < GetReceipt.MAX_ROWS) {
                rows.add(attempt);
            }
        } else {
            live.put(key, attempt);
        }
        tell(() -> listener.attempted(attempt));
    }

    boolean hasLiveAttempts() {
        return !live.isEmpty();
    }

    void delivered(long leafBytes, long total) {
        bytes += leafBytes;
        tell(() -> listener.progressed(bytes, total));
    }

    void chunkDone() {
        chunks++;
    }

    void won(Win win) {
        if (wins.size() < GetReceipt.MAX_ROWS) {
            wins.add(win);
        }
        tell(() -> listener.won(win));
    }

    /** False when it was known. */
    boolean faulted(ReplicaFault fault) {
        if (faults.size() >= GetReceipt.MAX_ROWS || !faults.add(fault)) {
            return false;
        }
        tell(() -> listener.faulted(fault));
        return true;
    }

    void planned(FileVersion version, List<String> racers) {
        tell(() -> listener.planned(version, racers));
    }

    void racerGone(String racer, ErrorCode why) {
        tell(() -> listener.racerGone(racer, why));
    }

    void racingLocally() {
        tell(listener::racingLocally);
    }

    GetReceipt receipt(FileVersion version, long handedOn, Duration elapsed) {
        List<Attempt> all = new ArrayList<>(rows);
        live.values().stream().limit(GetReceipt.MAX_ROWS - rows.size()).forEach(all::add);
        return new GetReceipt(
                version,
                handedOn,
                chunks,
                bytes,
                Math.max(0, fetchedBytes - bytes),
                attempts,
                cancelled,
                wins,
                all,
                List.copyOf(faults),
                elapsed);
    }

    private static void tell(Runnable call) {
        try {
            call.run();
        } catch (RuntimeException e) {
            log.warn("transfer listener failed", e);
        }
    }
}
