package io.cloudmw.client.read;

import io.cloudmw.core.mode.BlockOwners;
import io.cloudmw.core.mode.ModePolicy;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.placement.ReadPlan;
import io.cloudmw.core.placement.SwitchTable;
import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * The switches from which a read requests each block: the near switch for all blocks where the plan has one, then the
 * block's owners. Confined to the transfer.
 */
final class SwitchOwners implements BlockOwners {
    private final ReadPlan plan;
    private final SwitchTable table;
    private final OpenChunks chunks;

    private SwitchOwners(ReadPlan plan, OpenChunks chunks) {
        this.plan = plan;
        this.table = plan.switchTable();
        this.chunks = chunks;
    }

    /** The owners by the plan; none where the plan has no switches. */
    static BlockOwners of(ReadPlan plan, OpenChunks chunks) {
        return plan.switches() == 0 ? BlockOwners.NONE : new SwitchOwners(plan, chunks);
    }

    @Override
    public int[] of(long chunkIndex, long offset) {
        Chunk chunk = chunks.at(chunkIndex).orElseThrow();
        long blockBytes = ModePolicy.SWITCHED_BLOCK_BYTES;
        long blocks = (chunk.range().length() + blockBytes - 1) / blockBytes;
        int[] owners = table.order(chunk.id(), blocks, offset / blockBytes);
        return plan.near().isPresent()
                ? IntStream.concat(plan.near().stream(), Arrays.stream(owners)).toArray()
                : owners;
    }
}
