package io.cloudmw.it.hostile;

import com.google.protobuf.ByteString;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.race.Block;
import io.cloudmw.core.race.BlockId;
import io.cloudmw.core.race.BlockRule;
import io.cloudmw.core.race.Entrant;
import io.cloudmw.core.race.IssuedBlock;
import io.cloudmw.core.race.RacerId;
import io.cloudmw.core.wire.ToWire;
import io.cloudmw.proto.v1.BeginPutRequest;
import io.cloudmw.proto.v1.CoordinatorGrpc;
import io.cloudmw.proto.v1.Open;
import io.cloudmw.proto.v1.OpenRead;
import io.cloudmw.proto.v1.OpenRelay;
import io.cloudmw.proto.v1.OpenShared;
import io.cloudmw.proto.v1.OpenWrite;
import io.cloudmw.proto.v1.PlaceChunksRequest;
import io.cloudmw.proto.v1.PlaceChunksResponse;
import io.cloudmw.proto.v1.PlanReadRequest;
import io.cloudmw.proto.v1.PlanReadResponse;
import io.cloudmw.proto.v1.WriteEnd;
import io.grpc.Channel;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * The requests of an attacker that may read one file and write one version: with these rights, and with forged ones.
 * Immutable.
 */
final class Requests {
    private static final int WRITTEN_CHUNK_BYTES = 4000;
    private static final int LEAF_BYTES = 256 << 10;

    private final List<Open> requests;

    private Requests(List<Open> requests) {
        this.requests = List.copyOf(requests);
    }

    /**
     * Returns the requests for a file.
     *
     * @param coordinator a channel of the attacker, whose tokens are bound to its identity
     * @param file of one chunk or more
     */
    static Requests of(Channel coordinator, FilePath file, List<Chunk> chunks) {
        CoordinatorGrpc.CoordinatorBlockingStub calls = CoordinatorGrpc.newBlockingStub(coordinator);
        PlanReadResponse plan = calls.planRead(PlanReadRequest.newBuilder()
                .setVolume(file.volume().value())
                .setPath(file.path())
                .build());
        List<Open> requests = new ArrayList<>();
        for (Chunk chunk : chunks) {
            requests.add(read(plan, chunk));
            requests.add(shared(plan, chunk));
        }
        requests.add(write(calls, file));
        requests.add(Open.newBuilder()
                .setRelay(OpenRelay.newBuilder()
                        .setTransferId(VersionId.random().value())
                        .setStoreId("disk-1"))
                .build());
        return new Requests(requests);
    }

    private static Open read(PlanReadResponse plan, Chunk chunk) {
        return Open.newBuilder()
                .setRead(OpenRead.newBuilder()
                        .setToken(plan.getToken())
                        .setStoreId(chunk.replicas().get(0).value())
                        .setChunkId(chunk.id().toString())
                        .setRange(ToWire.range(new ByteRange(0, chunk.range().length()))))
                .build();
    }

    private static Open shared(PlanReadResponse plan, Chunk chunk) {
        Block raced = new Block(
                new BlockId(0),
                chunk.index(),
                new ByteRange(0, chunk.range().length()),
                chunk.replicas().size(),
                List.of(new Entrant(new RacerId(0), 0)),
                BlockRule.SOLE);
        IssuedBlock block = new IssuedBlock(
                raced,
                chunk.id(),
                chunk.range().length(),
                chunk.leafSizeBytes(),
                chunk.leaves().crc32c(),
                chunk.replicas(),
                false);
        return Open.newBuilder()
                .setShared(OpenShared.newBuilder()
                        .setToken(plan.getToken())
                        .setBlock(ToWire.block(block))
                        .addAllStores(plan.getStoresList())
                        .addAllHelpers(plan.getHelpersList())
                        .setTree(1)
                        .setReader(true))
                .build();
    }

    /** A write of a version that is never committed. */
    private static Open write(CoordinatorGrpc.CoordinatorBlockingStub calls, FilePath file) {
        String version = VersionId.random().value();
        var unused = calls.beginPut(BeginPutRequest.newBuilder()
                .setVolume(file.volume().value())
                .setPath("/prey")
                .setSizeBytes(WRITTEN_CHUNK_BYTES)
                .setVersionId(version)
                .build());
        PlaceChunksResponse placed = calls.placeChunks(PlaceChunksRequest.newBuilder()
                .setVolume(file.volume().value())
                .setPath("/prey")
                .setVersionId(version)
                .setCount(1)
                .build());
        return Open.newBuilder()
                .setWrite(OpenWrite.newBuilder()
                        .setToken(placed.getToken())
                        .setChunkId(placed.getPlacements(0).getChunkId())
                        .setLength(WRITTEN_CHUNK_BYTES)
                        .setLeafSizeBytes(LEAF_BYTES)
                        .addAllStores(placed.getStoresList())
                        .addAllHelpers(placed.getHelpersList())
                        .setWriteQuorum(1)
                        .setVolume(file.volume().value())
                        .setPath("/prey")
                        .setVersionId(version))
                .build();
    }

    /** Returns the payload of an OPEN: a request with its right, with a forged one, or with none. */
    ByteString any(SplittableRandom random) {
        Open request = requests.get(random.nextInt(requests.size()));
        return switch (random.nextInt(8)) {
            case 0 -> ByteString.EMPTY;
            case 1, 2 -> withToken(request, ByteString.EMPTY).toByteString();
            case 3, 4 -> withToken(request, forged(random)).toByteString();
            default -> request.toByteString();
        };
    }

    /** Returns the payload of an END. */
    ByteString trailer(SplittableRandom random) {
        WriteEnd.Builder end = WriteEnd.newBuilder();
        for (int i = random.nextInt(3); i > 0; i--) {
            end.addLeafCrc32C(random.nextInt());
        }
        return end.build().toByteString();
    }

    private static ByteString forged(SplittableRandom random) {
        byte[] token = new byte[1 + random.nextInt(300)];
        random.nextBytes(token);
        return ByteString.copyFrom(token);
    }

    private static Open withToken(Open request, ByteString token) {
        Open.Builder other = request.toBuilder();
        switch (request.getRequestCase()) {
            case READ -> other.getReadBuilder().setToken(token);
            case SHARED -> other.getSharedBuilder().setToken(token);
            case WRITE -> other.getWriteBuilder().setToken(token);
            default -> other.getRelayBuilder().setTransferId("");
        }
        return other.build();
    }
}
