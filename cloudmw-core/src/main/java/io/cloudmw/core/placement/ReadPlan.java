package io.cloudmw.core.placement;

import io.cloudmw.core.model.Mode;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.model.fleet.HelperAddress;
import io.cloudmw.core.model.volume.ReadTarget;
import io.cloudmw.core.monitor.SpeedBook;
import io.cloudmw.core.security.TransferToken;
import io.cloudmw.core.status.StoreStatus;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The head of a read plan; the chunks follow segment by segment.
 *
 * @param helpers in rank order; may be empty
 * @param stores every store of the volume
 * @param replicas k of the volume
 * @param speeds the expected speeds of the stores, as far as they are known
 * @param target the volume's target, if any
 * @param switches the first so many helpers are switches for the volume, and each block is read from the one it
 *     belongs to ({@link SwitchTable}); 0: the helpers race
 * @param near the rank of the switch near the reader, which reads everything from it; that switch reads missing blocks
 *     through their trees ({@link SwitchTree}); empty: none is near
 * @param peers whether the reader may exchange chunks with other clients
 * @param record the id under which the reader reports how the read goes; empty: it does not
 * @param chunks all chunks of a small file; empty: they follow segment by segment
 */
public record ReadPlan(
        FileVersion version,
        List<HelperAddress> helpers,
        List<StoreStatus> stores,
        Mode mode,
        boolean rotateReplicas,
        TransferToken token,
        int replicas,
        SpeedBook speeds,
        Optional<ReadTarget> target,
        int switches,
        OptionalInt near,
        boolean peers,
        Optional<String> record,
        List<PlannedChunk> chunks) {
    /** The longest file whose chunks come with the head. */
    public static final long SMALL_BYTES = 16L << 20;

    public ReadPlan {
        helpers = List.copyOf(helpers);
        stores = List.copyOf(stores);
        chunks = List.copyOf(chunks);
    }

    /** A plan without switches, peers, record and chunks. */
    public ReadPlan(
            FileVersion version,
            List<HelperAddress> helpers,
            List<StoreStatus> stores,
            Mode mode,
            boolean rotateReplicas,
            TransferToken token,
            int replicas,
            SpeedBook speeds,
            Optional<ReadTarget> target) {
        this(
                version,
                helpers,
                stores,
                mode,
                rotateReplicas,
                token,
                replicas,
                speeds,
                target,
                0,
                OptionalInt.empty(),
                false,
                Optional.empty(),
                List.of());
    }

    /** The table of the switches and their blocks. */
    public SwitchTable switchTable() {
        return new SwitchTable(helpers.stream()
                .limit(switches)
                .map(helper -> helper.id().value())
                .toList());
    }

    /** The same plan in another mode. */
    public ReadPlan withMode(Mode instead) {
        return with(instead, record);
    }

    /** The same plan with a record. */
    public ReadPlan recordedAs(Optional<String> id) {
        return with(mode, id);
    }

    /** The same plan for a reader that reads stores by itself, without helpers, switches and peers. */
    public ReadPlan withoutHelpers() {
        return new ReadPlan(
                version,
                List.of(),
                stores,
                mode,
                rotateReplicas,
                token,
                replicas,
                speeds,
                target,
                0,
                OptionalInt.empty(),
                false,
                record,
                List.of());
    }

    private ReadPlan with(Mode instead, Optional<String> id) {
        return new ReadPlan(
                version,
                helpers,
                stores,
                instead,
                rotateReplicas,
                token,
                replicas,
                speeds,
                target,
                switches,
                near,
                peers,
                id,
                chunks);
    }
}
