package io.cloudmw.core.bulk.message;

import com.google.protobuf.InvalidProtocolBufferException;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.Urgency;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.fleet.HelperAddress;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.model.volume.Chunking;
import io.cloudmw.core.placement.ReadPlanner;
import io.cloudmw.core.race.BlockId;
import io.cloudmw.core.race.IssuedBlock;
import io.cloudmw.core.race.RacerId;
import io.cloudmw.core.schedule.Tenant;
import io.cloudmw.core.security.TransferToken;
import io.cloudmw.core.status.StoreStatus;
import io.cloudmw.core.wire.FromWire;
import io.cloudmw.core.wire.ToWire;
import io.cloudmw.core.wire.UrgencyWire;
import io.cloudmw.proto.v1.Open;
import io.cloudmw.proto.v1.OpenRead;
import io.cloudmw.proto.v1.OpenRelay;
import io.cloudmw.proto.v1.OpenShared;
import io.cloudmw.proto.v1.OpenWrite;
import java.util.ArrayList;
import java.util.List;

/** A request that opens a stream of the bulk plane. Immutable. */
public sealed interface BulkRequest {
    /** The encoded {@code Open} message. */
    byte[] encode();

    /**
     * Reads what {@link #encode()} wrote.
     *
     * @throws CloudMwException {@code PROTOCOL_VIOLATION} when it is no such message; {@code INVALID_ARGUMENT} when a
     *     field is not well formed
     */
    static BulkRequest decode(byte[] message) throws CloudMwException {
        Open open;
        try {
            open = Open.parseFrom(message);
        } catch (InvalidProtocolBufferException e) {
            throw new CloudMwException(ErrorCode.PROTOCOL_VIOLATION, "open: not an Open message", e);
        }
        return switch (open.getRequestCase()) {
            case READ -> Read.of(open.getRead());
            case WRITE -> Write.of(open.getWrite());
            case RELAY -> Relay.of(open.getRelay());
            case SHARED -> Shared.of(open.getShared());
            case REQUEST_NOT_SET -> throw new CloudMwException(ErrorCode.PROTOCOL_VIOLATION, "open: no request");
        };
    }

    /**
     * A request to read a range of one replica on a disk of the asked helper.
     *
     * @param urgency with the time that is left until its deadline
     */
    record Read(TransferToken token, StoreId store, ChunkId chunk, ByteRange range, Urgency urgency)
            implements BulkRequest {
        private static Read of(OpenRead message) throws CloudMwException {
            return new Read(
                    FromWire.token(message.getToken().toByteArray()),
                    FromWire.storeId(message.getStoreId()),
                    FromWire.chunkId(message.getChunkId()),
                    FromWire.range(message.getRange()),
                    UrgencyWire.urgency(message.getPriority(), message.getDeadlineMillis()));
        }

        @Override
        public byte[] encode() {
            OpenRead read = OpenRead.newBuilder()
                    .setToken(ToWire.token(token))
                    .setStoreId(store.value())
                    .setChunkId(chunk.toString())
                    .setRange(ToWire.range(range))
                    .setPriority(UrgencyWire.priority(urgency.priority()))
                    .setDeadlineMillis(UrgencyWire.millis(urgency.deadline()))
                    .build();
            return Open.newBuilder().setRead(read).build().toByteArray();
        }
    }

    /**
     * A request to write one chunk to several stores.
     *
     * @param targets the stores; for a single disk of the asked helper it contacts no other process
     */
    record Write(
            TransferToken token,
            ChunkId chunk,
            long length,
            int leafSizeBytes,
            WriteTargets targets,
            int writeQuorum,
            FilePath file,
            VersionId version)
            implements BulkRequest {
        /** The most leaves whose checksums fit one {@link WriteEnd}. */
        public static final int MAX_LEAVES = 16_000;

        public Write {
            if (length < 1 || length > Chunking.MAX_CHUNK_BYTES) {
                throw new IllegalArgumentException(
                        "length: " + length + " (expected: 1.." + Chunking.MAX_CHUNK_BYTES + ")");
            }
            if (leafSizeBytes < 1 || leafSizeBytes > FromWire.MAX_LEAF_BYTES) {
                throw new IllegalArgumentException(
                        "leafSizeBytes: " + leafSizeBytes + " (expected: 1.." + FromWire.MAX_LEAF_BYTES + ")");
            }
            if ((length + leafSizeBytes - 1) / leafSizeBytes > MAX_LEAVES) {
                throw new IllegalArgumentException("leafSizeBytes: " + leafSizeBytes + " cuts " + length
                        + " bytes into too many leaves (expected: <= " + MAX_LEAVES + ")");
            }
            int most = targets.stores().size();
            if (writeQuorum < 1 || writeQuorum > most) {
                throw new IllegalArgumentException("writeQuorum: " + writeQuorum + " (expected: 1.." + most + ")");
            }
            if (targets.stores().stream().map(Store::id).distinct().count() != most) {
                throw new IllegalArgumentException("stores: one is named twice");
            }
        }

        /** The stores of the replicas. */
        public List<Store> stores() {
            return targets.stores();
        }

        private static Write of(OpenWrite message) throws CloudMwException {
            List<Store> stores = new ArrayList<>();
            for (StoreStatus status : FromWire.stores(message.getStoresList())) {
                stores.add(status.store());
            }
            try {
                return new Write(
                        FromWire.token(message.getToken().toByteArray()),
                        FromWire.chunkId(message.getChunkId()),
                        message.getLength(),
                        message.getLeafSizeBytes(),
                        new WriteTargets(
                                stores,
                                FromWire.helpers(message.getHelpersList()),
                                FromWire.carriers(message.getCarriersMap())),
                        message.getWriteQuorum(),
                        FromWire.file(message.getVolume(), message.getPath()),
                        FromWire.versionId(message.getVersionId()));
            } catch (IllegalArgumentException e) {
                throw new CloudMwException(ErrorCode.INVALID_ARGUMENT, String.valueOf(e.getMessage()), e);
            }
        }

        @Override
        public byte[] encode() {
            OpenWrite.Builder write = OpenWrite.newBuilder()
                    .setToken(ToWire.token(token))
                    .setChunkId(chunk.toString())
                    .setLength(length)
                    .setLeafSizeBytes(leafSizeBytes)
                    .setWriteQuorum(writeQuorum)
                    .setVolume(file.volume().value())
                    .setPath(file.path())
                    .setVersionId(version.value());
            targets.stores().forEach(store -> write.addStores(ToWire.store(store)));
            targets.helpers().forEach(helper -> write.addHelpers(ToWire.helper(helper)));
            targets.carriers().forEach((store, helper) -> write.putCarriers(store.value(), helper.value()));
            return Open.newBuilder().setWrite(write).build().toByteArray();
        }
    }

    /**
     * A request for a block, or a part of one, from another switch of its tree or from a reader.
     *
     * @param token lets its bearer read the chunk
     * @param block the wanted block; its one entrant names the replica to read when no switch has it
     * @param stores the stores of the replicas
     * @param helpers the members of the tree, in rank order, then owners of disks among the stores
     * @param tree how many of the helpers are members
     * @param height the most switches between this one and the store: it waits for and asks only switches with fewer
     * @param urgency with the time that is left until its deadline
     * @param reader whether the asking process is a reader, not a switch
     * @param kept whether only a cache hit of all of it counts: the answer is credit of one byte, or {@code NOT_FOUND}
     * @param share the client's share on whose behalf a switch asks ({@link Tenant#share})
     */
    record Shared(
            TransferToken token,
            IssuedBlock block,
            List<Store> stores,
            List<HelperAddress> helpers,
            int tree,
            int height,
            Urgency urgency,
            boolean reader,
            boolean kept,
            int share)
            implements BulkRequest {
        public Shared {
            stores = List.copyOf(stores);
            helpers = List.copyOf(helpers);
            if (helpers.size() > ReadPlanner.MAX_PLANNED) {
                throw new IllegalArgumentException(
                        "helpers: " + helpers.size() + " (expected: <= " + ReadPlanner.MAX_PLANNED + ")");
            }
            int most = Math.min(helpers.size(), ReadPlanner.MAX_SWITCHES);
            if (tree < 1 || tree > most) {
                throw new IllegalArgumentException("tree: " + tree + " (expected: 1.." + most + ")");
            }
            if (height < 0 || height >= tree) {
                throw new IllegalArgumentException("height: " + height + " (expected: 0.." + (tree - 1) + ")");
            }
            if (share < 0 || share >= Tenant.SHARES) {
                throw new IllegalArgumentException("share: " + share + " (expected: 0.." + (Tenant.SHARES - 1) + ")");
            }
            if (block.block().entrants().size() != 1) {
                throw new IllegalArgumentException(
                        "entrants: " + block.block().entrants().size() + " (expected: 1)");
            }
        }

        /** The replica to read when no switch has the block. */
        public StoreId replica() {
            return block.replicas().get(block.block().entrants().get(0).replica());
        }

        private static Shared of(OpenShared message) throws CloudMwException {
            List<Store> stores = new ArrayList<>();
            for (StoreStatus status : FromWire.stores(message.getStoresList())) {
                stores.add(status.store());
            }
            IssuedBlock block = FromWire.block(message.getBlock());
            Urgency urgency = UrgencyWire.urgency(message.getPriority(), message.getDeadlineMillis());
            List<HelperAddress> helpers = FromWire.helpers(message.getHelpersList());
            return FromWire.valid(() -> new Shared(
                    FromWire.token(message.getToken().toByteArray()),
                    block,
                    stores,
                    helpers,
                    message.getTree(),
                    message.getHeight(),
                    urgency,
                    message.getReader(),
                    message.getKept(),
                    message.getShare()));
        }

        @Override
        public byte[] encode() {
            OpenShared.Builder shared = OpenShared.newBuilder()
                    .setToken(ToWire.token(token))
                    .setBlock(ToWire.block(block))
                    .setTree(tree)
                    .setHeight(height)
                    .setPriority(UrgencyWire.priority(urgency.priority()))
                    .setDeadlineMillis(UrgencyWire.millis(urgency.deadline()))
                    .setReader(reader)
                    .setKept(kept)
                    .setShare(share);
            stores.forEach(store -> shared.addStores(ToWire.store(store)));
            helpers.forEach(helper -> shared.addHelpers(ToWire.helper(helper)));
            return Open.newBuilder().setShared(shared).build().toByteArray();
        }
    }

    /** A racer's offer of a block to the destination: the racer has won it, or has its first leaf. */
    record Relay(String transfer, BlockId block, RacerId racer, StoreId store) implements BulkRequest {
        private static Relay of(OpenRelay message) throws CloudMwException {
            if (message.getBlockId() < 0 || message.getRacer() < 0) {
                throw new CloudMwException(
                        ErrorCode.INVALID_ARGUMENT,
                        "block: " + message.getBlockId() + ", racer: " + message.getRacer() + " (expected: >= 0)");
            }
            return new Relay(
                    message.getTransferId(),
                    new BlockId(message.getBlockId()),
                    new RacerId(message.getRacer()),
                    FromWire.storeId(message.getStoreId()));
        }

        @Override
        public byte[] encode() {
            OpenRelay relay = OpenRelay.newBuilder()
                    .setTransferId(transfer)
                    .setBlockId(block.value())
                    .setRacer(racer.rank())
                    .setStoreId(store.value())
                    .build();
            return Open.newBuilder().setRelay(relay).build().toByteArray();
        }
    }
}
