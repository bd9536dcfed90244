package io.cloudmw.core.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.chunk.LeafDigests;
import io.cloudmw.core.model.chunk.ReplicaRecord;
import io.cloudmw.core.model.chunk.ReplicaState;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class CurrentReplicasTest {
    private static final StoreId A = new StoreId("a");
    private static final StoreId B = new StoreId("b");
    private static final StoreId C = new StoreId("c");
    private static final StoreId D = new StoreId("d");

    private final Chunk chunk = new Chunk(
            0,
            new ChunkId(VersionId.random(), 0),
            new ByteRange(0, 4),
            4,
            new LeafDigests(new int[1], new byte[LeafDigests.SHA256_BYTES]),
            List.of(A, B, C));

    private ReplicaRecord record(StoreId store, ReplicaState state) {
        return new ReplicaRecord(chunk.id(), store, state, 7);
    }

    @Test
    void replicasWithoutRecordsAreWhereTheManifestSays() {
        CurrentReplicas copies = CurrentReplicas.of(chunk, List.of());
        assertThat(copies.stores()).containsExactly(A, B, C);
        assertThat(copies.faulty()).isEmpty();
        assertThat(copies.located()).isSameAs(chunk);
        assertThat(copies.isGood(D)).isFalse();
    }

    @Test
    void aMovedCopyTakesThePlaceOfOneThatWasDropped() {
        CurrentReplicas copies =
                CurrentReplicas.of(chunk, List.of(record(B, ReplicaState.DROPPED), record(D, ReplicaState.MOVED)));
        assertThat(copies.located().replicas()).containsExactly(A, D, C);
        assertThat(copies.isGood(D)).isTrue();
        assertThat(copies.isGood(B)).isFalse();
    }

    @Test
    void aReplicaThatTurnedOutBadIsFaulty() {
        CurrentReplicas copies = CurrentReplicas.of(
                chunk,
                List.of(record(A, ReplicaState.GONE), record(D, ReplicaState.CORRUPT), record(C, ReplicaState.OWED)));
        assertThat(copies.stores()).containsExactly(D, B, C);
        assertThat(copies.faulty()).isEqualTo(Set.of(D, C));
    }

    @Test
    void recordsOfOtherChunksAreIgnored() {
        ReplicaRecord other = new ReplicaRecord(new ChunkId(chunk.id().version(), 1), A, ReplicaState.CORRUPT, 7);
        assertThat(CurrentReplicas.of(chunk, List.of(other)).faulty()).isEmpty();
    }

    @Test
    void aCopyThatArrivedCountsFromThenOn() {
        CurrentReplicas before = CurrentReplicas.of(chunk, List.of(record(B, ReplicaState.CORRUPT)));
        assertThat(before.arrived(B, 9)).isEqualTo(new ReplicaRecord(chunk.id(), B, ReplicaState.GOOD, 9));
        assertThat(before.with(List.of(before.arrived(B, 9))).faulty()).isEmpty();

        ReplicaRecord moved = before.arrived(D, 9);
        assertThat(moved.state()).isEqualTo(ReplicaState.MOVED);
        assertThat(before.with(List.of(moved, record(B, ReplicaState.DROPPED))).stores())
                .containsExactly(A, D, C);
    }
}
