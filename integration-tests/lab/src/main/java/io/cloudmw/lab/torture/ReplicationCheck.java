package io.cloudmw.lab.torture;

import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.status.RepairObstacle;
import io.cloudmw.core.status.RepairProgress;
import io.cloudmw.core.status.ReplacedProgress;
import io.cloudmw.core.status.UpkeepStatus;
import io.cloudmw.core.time.Sleeper;
import io.cloudmw.lab.torture.model.CallInterval;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A check, by the cluster's own status, that no chunk lacks a replica. Repair must have looked at all chunks since the
 * cluster learned of a loss, and found no missing replica. Replicas that a writer is about to make do not count.
 * Confined to one thread.
 */
final class ReplicationCheck {
    /**
     * The number of repair passes to wait for: the first may have begun before the loss, and the next covers all
     * chunks.
     */
    private static final int LOOKS = 2;

    private static final long POLL_NANOS = Duration.ofMillis(50).toNanos();

    private final Optional<StoreId> lost;
    private OptionalLong passesBefore = OptionalLong.empty();
    private int looks = LOOKS;
    private long passes;
    private String seen = "no coordinator answered";

    /**
     * Creates a check.
     *
     * @param lost a store that the cluster must first know to be lost
     */
    ReplicationCheck(Optional<StoreId> lost) {
        this.lost = lost;
    }

    /**
     * Waits until no replica is missing; returns false after {@code limit}, in which the coordinator's absence does not
     * count.
     */
    boolean await(TortureRun run, Duration limit) throws InterruptedException {
        long since = run.now();
        while (run.fleet().status().filter(this::isFull).isEmpty()) {
            CallInterval waited = new CallInterval(since, run.now());
            long away = run.coordinatorAwayNanos(waited);
            if (waited.to() - since - away > limit.toNanos()) {
                return false;
            }
            Sleeper.system().sleep(POLL_NANOS);
        }
        return true;
    }

    /** Evaluates a status. Must get every status in turn, since it remembers the passes seen. */
    boolean isFull(UpkeepStatus status) {
        RepairProgress repair = status.repair();
        seen = "chunks by good copies " + repair.underReplicated() + ", obstacles " + repair.obstacles()
                + ", replaced stores " + repair.replaced() + ", passes " + repair.passes();
        boolean anew = repair.passes() < passes;
        passes = repair.passes();
        if (!knowsOfLoss(status)) {
            passesBefore = OptionalLong.empty();
        } else if (passesBefore.isEmpty() || anew) {
            passesBefore = OptionalLong.of(passes);
            // All passes of a coordinator that took over since began after the loss.
            looks = anew && passes == 0 ? 1 : LOOKS;
        }
        return passesBefore.isPresent()
                && passes - passesBefore.getAsLong() >= looks
                && lacking(repair) == 0
                && repair.replaced().values().stream().allMatch(ReplacedProgress::complete);
    }

    /** The last status, for messages. */
    String seen() {
        return seen;
    }

    private boolean knowsOfLoss(UpkeepStatus status) {
        return lost.isEmpty()
                || status.stores().stream()
                        .anyMatch(store -> store.lost() && store.id().equals(lost.get()));
    }

    private static long lacking(RepairProgress repair) {
        long lacking = repair.underReplicated().values().stream()
                .mapToLong(Long::longValue)
                .sum();
        return lacking - repair.obstacles().getOrDefault(RepairObstacle.AWAITED, 0L);
    }
}
