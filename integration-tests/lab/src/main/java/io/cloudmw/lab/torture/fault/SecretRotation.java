package io.cloudmw.lab.torture.fault;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * The order of the steps by which the cluster's secret is rotated, again and again. In each of three rounds the file of
 * the secret changes, and then all processes restart one after the other. The last round waits until tokens that the
 * former key signed have ended. Safe for any thread.
 */
public final class SecretRotation {
    private final List<String> processes;
    private final long tokenLifeNanos;
    private final long restNanos;

    @GuardedBy("this")
    private final List<String> waiting = new ArrayList<>();

    @GuardedBy("this")
    private boolean restarting;

    @GuardedBy("this")
    private Round round = Round.REMOVE;

    @GuardedBy("this")
    private long endNanos;

    @GuardedBy("this")
    private boolean begun;

    @GuardedBy("this")
    private long rotations;

    /** The change of the file in a round. */
    public enum Round {
        /** A new key comes below the present one. */
        ADD,
        /** The new key is the first, which signs. */
        EXCHANGE,
        /** The former key goes. */
        REMOVE;

        private Round next() {
            return switch (this) {
                case ADD -> EXCHANGE;
                case EXCHANGE -> REMOVE;
                case REMOVE -> ADD;
            };
        }
    }

    /**
     * Creates a rotation that has not begun.
     *
     * @param processes that restart in each round
     * @param tokenLifeNanos the life of what the secret signs
     * @param restNanos from the end of a rotation to the begin of the next
     */
    public SecretRotation(List<String> processes, long tokenLifeNanos, long restNanos) {
        this.processes = List.copyOf(processes);
        this.tokenLifeNanos = tokenLifeNanos;
        this.restNanos = restNanos;
    }

    /** Begins the next round, if it is time: the caller changes the file, and then asks for restarts. */
    public synchronized Optional<Round> begin(long nowNanos) {
        long pause = switch (round.next()) {
            case ADD -> begun ? restNanos : 0;
            case EXCHANGE -> 0;
            case REMOVE -> tokenLifeNanos;
        };
        if (restarting || !waiting.isEmpty() || nowNanos - endNanos < pause) {
            return Optional.empty();
        }
        begun = true;
        round = round.next();
        waiting.addAll(processes);
        return Optional.of(round);
    }

    /** Takes a process that is to restart now; {@link #restarted} must follow before the next one. */
    public synchronized Optional<String> next(Predicate<String> free) {
        Optional<String> taken =
                restarting ? Optional.empty() : waiting.stream().filter(free).findFirst();
        taken.ifPresent(name -> {
            waiting.remove(name);
            restarting = true;
        });
        return taken;
    }

    /** Returns whether such a process is still to restart in this round. */
    public synchronized boolean isWaiting(Predicate<String> process) {
        return waiting.stream().anyMatch(process);
    }

    /**
     * Notes that the process which was taken has restarted.
     *
     * @return whether this completed a rotation
     */
    public synchronized boolean restarted(long nowNanos) {
        restarting = false;
        if (!waiting.isEmpty()) {
            return false;
        }
        endNanos = nowNanos;
        boolean complete = round == Round.REMOVE;
        if (complete) {
            rotations++;
        }
        return complete;
    }

    /** Returns the number of complete rotations. */
    public synchronized long rotations() {
        return rotations;
    }
}
