package io.cloudmw.helper.serve;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.mode.ModePolicy;
import io.cloudmw.core.model.ChunkId;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.race.BlockId;
import io.cloudmw.helper.cache.Keeping;
import io.cloudmw.helper.cache.SharedFetching;
import io.cloudmw.helper.fetch.Requester;
import io.cloudmw.helper.fetch.WantedBlock;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

/** One version of a file that is to be kept here, for one client. Safe for any thread; never blocks. */
public final class Warming {
    /** Says whether all of a chunk lies on a disk of this helper by this name; no more than a look at the disk's directory. */
    @FunctionalInterface
    public interface OwnDisk {
        boolean holds(StoreId store, ChunkId chunk, long lengthBytes);
    }

    /** What the client hears; must not block. */
    public interface Answers {
        /**
         * It may begin.
         *
         * @param window blocks that are taken at once
         * @param capacityBytes that may be kept here of everything
         */
        void ready(int window, long capacityBytes);

        /** All that is missing of a block is on its way; left out where it is kept, or has failed, at once. */
        void underWay(BlockId block);

        /** What became of a block; {@code cause}: why something is still missing. */
        void warmed(BlockId block, Keeping.Outcome outcome, Optional<CloudMwException> cause);

        /** Everything is answered, and nothing more is wanted. */
        void ended();
    }

    private final SharedFetching shared;
    private final Requester requester;
    private final OwnDisk ownDisk;
    private final int window;
    private final Answers answers;
    private final Runnable over;

    /** Those that have not ended; empty for a moment, until it is begun. */
    @GuardedBy("this")
    private final Map<BlockId, Optional<Keeping>> underWay = new HashMap<>();

    @GuardedBy("this")
    private boolean finishing;

    @GuardedBy("this")
    private boolean closed;

    Warming(SharedFetching shared, Requester requester, OwnDisk ownDisk, int window, Answers answers, Runnable over) {
        this.shared = shared;
        this.requester = requester;
        this.ownDisk = ownDisk;
        this.window = window;
        this.answers = answers;
        this.over = over;
    }

    /** Answers how much of a block is here. */
    public void look(WantedBlock block) throws CloudMwException {
        requireOne(block);
        long kept = isOnOwnDisk(block) ? block.length() : shared.keptBytes(block);
        answers.warmed(block.race().id(), Keeping.Outcome.ofKept(kept), Optional.empty());
    }

    /**
     * Has what is missing of a block fetched; what becomes of it is answered.
     *
     * @throws CloudMwException {@code OVERLOADED} beyond the window; {@code INVALID_ARGUMENT}
     */
    public void keep(WantedBlock block) throws CloudMwException {
        requireOne(block);
        BlockId id = block.race().id();
        synchronized (this) {
            if (closed) {
                return;
            }
            if (underWay.size() >= window || underWay.containsKey(id)) {
                throw new CloudMwException(
                        ErrorCode.OVERLOADED,
                        block + ": " + underWay.size() + " blocks are under way (expected: others, < " + window + ")");
            }
            underWay.put(id, Optional.empty());
        }
        if (isOnOwnDisk(block)) {
            ended(id, Keeping.Outcome.ofKept(block.length()), Optional.empty());
            return;
        }
        try {
            begun(id, shared.keep(requester, block, named(block), (outcome, cause) -> ended(id, outcome, cause)));
        } catch (CloudMwException e) {
            ended(id, Keeping.Outcome.ofKept(shared.keptBytes(block)), Optional.of(e));
        }
    }

    private static void requireOne(WantedBlock block) throws CloudMwException {
        if (block.length() > ModePolicy.SWITCHED_BLOCK_BYTES
                || block.race().entrants().isEmpty()) {
            throw new CloudMwException(
                    ErrorCode.INVALID_ARGUMENT,
                    block + ": (expected: <= " + ModePolicy.SWITCHED_BLOCK_BYTES + " bytes, and an entrant)");
        }
    }

    private static StoreId named(WantedBlock block) {
        return block.replicas().get(block.race().entrants().get(0).replica());
    }

    private boolean isOnOwnDisk(WantedBlock block) {
        List<StoreId> replicas = block.replicas();
        return IntStream.range(0, replicas.size())
                .filter(replica -> !block.race().barred().contains(replica))
                .anyMatch(replica ->
                        ownDisk.holds(replicas.get(replica), block.leaves().chunk(), block.chunkLength()));
    }

    private void begun(BlockId id, Keeping keeping) {
        boolean late;
        synchronized (this) {
            late = closed;
            if (underWay.containsKey(id)) {
                underWay.put(id, Optional.of(keeping));
                answers.underWay(id);
            }
        }
        if (late) {
            keeping.cancel();
        }
    }

    private void ended(BlockId id, Keeping.Outcome outcome, Optional<CloudMwException> cause) {
        synchronized (this) {
            if (closed || underWay.remove(id) == null) {
                return;
            }
            answers.warmed(id, outcome, cause);
        }
        endIfFinished();
    }

    /** Nothing more is wanted: it ends when all is answered. */
    public void finish() {
        synchronized (this) {
            finishing = true;
        }
        endIfFinished();
    }

    private void endIfFinished() {
        synchronized (this) {
            if (!finishing || closed || !underWay.isEmpty()) {
                return;
            }
        }
        close();
        answers.ended();
    }

    /** Cancels what is under way. Idempotent. */
    public void close() {
        List<Optional<Keeping>> left;
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
            left = List.copyOf(underWay.values());
            underWay.clear();
        }
        left.forEach(keeping -> keeping.ifPresent(Keeping::cancel));
        over.run();
    }
}
