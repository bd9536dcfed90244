package io.cloudmw.helper.switching;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.mode.ModePolicy;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.race.BlockId;
import io.cloudmw.helper.block.WantedBlock;
import io.cloudmw.helper.fetch.Requester;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * A session in which one client has this switch cache the blocks of one version of a file. Safe for any thread; never
 * blocks.
 */
public final class WarmSession {
    /** Looks up whether a whole chunk lies on a disk of this helper; looks at the disk's directory only. */
    @FunctionalInterface
    public interface OwnDisk {
        boolean holds(StoreId store, ChunkId chunk, long lengthBytes);
    }

    /** The answers to the client; must not block. */
    public interface Answers {
        /**
         * The client may begin.
         *
         * @param window blocks that may be under way at once
         * @param capacityBytes size of this switch's cache
         */
        void ready(int window, long capacityBytes);

        /** All missing leaves of a block are on their way; not called when the block is kept, or fails, at once. */
        void underWay(BlockId block);

        /** A block is done; {@code cause} says why leaves are still missing. */
        void warmed(BlockId block, CacheFill.Outcome outcome, Optional<CloudMwException> cause);

        /** Every block is answered, and the client has finished. */
        void ended();
    }

    private final SharedFetcher shared;
    private final Requester requester;
    private final OwnDisk ownDisk;
    private final int window;
    private final Answers answers;
    private final Runnable over;

    /** Fills that have not ended; empty for a moment, until a fill has started. */
    @GuardedBy("this")
    private final Map<BlockId, Optional<CacheFill>> underWay = new HashMap<>();

    @GuardedBy("this")
    private boolean finishing;

    @GuardedBy("this")
    private boolean closed;

    WarmSession(
            SharedFetcher shared, Requester requester, OwnDisk ownDisk, int window, Answers answers, Runnable over) {
        this.shared = shared;
        this.requester = requester;
        this.ownDisk = ownDisk;
        this.window = window;
        this.answers = answers;
        this.over = over;
    }

    /** Answers how much of a block is cached. */
    public void look(WantedBlock block) throws CloudMwException {
        requireOne(block);
        long kept = isOnOwnDisk(block) ? block.length() : shared.keptBytes(block);
        answers.warmed(block.race().id(), CacheFill.Outcome.ofKept(kept), Optional.empty());
    }

    /**
     * Fetches and caches the missing leaves of a block, then answers.
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
            ended(id, CacheFill.Outcome.ofKept(block.length()), Optional.empty());
            return;
        }
        try {
            begun(id, shared.keep(requester, block, named(block), (outcome, cause) -> ended(id, outcome, cause)));
        } catch (CloudMwException e) {
            ended(id, CacheFill.Outcome.ofKept(shared.keptBytes(block)), Optional.of(e));
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

    private void begun(BlockId id, CacheFill keeping) {
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

    private void ended(BlockId id, CacheFill.Outcome outcome, Optional<CloudMwException> cause) {
        synchronized (this) {
            if (closed || underWay.remove(id) == null) {
                return;
            }
            answers.warmed(id, outcome, cause);
        }
        endIfFinished();
    }

    /** Ends the session when every block is answered. */
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

    /** Cancels the fills under way. Idempotent. */
    public void close() {
        List<Optional<CacheFill>> left;
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
            left = List.copyOf(underWay.values());
            underWay.clear();
        }
        left.forEach(keeping -> keeping.ifPresent(CacheFill::cancel));
        over.run();
    }
}
