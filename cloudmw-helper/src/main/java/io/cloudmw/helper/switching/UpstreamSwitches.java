package io.cloudmw.helper.switching;

import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.LoadingCache;
import io.cloudmw.core.bulk.message.BulkRequest;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.memory.ByteBudget;
import io.cloudmw.core.mode.ModePolicy;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.fleet.HelperAddress;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.placement.SwitchTree;
import io.cloudmw.core.race.Block;
import io.cloudmw.core.race.BlockId;
import io.cloudmw.core.race.BlockRule;
import io.cloudmw.core.race.Entrant;
import io.cloudmw.core.race.IssuedBlock;
import io.cloudmw.core.race.RacerId;
import io.cloudmw.core.schedule.Tenant;
import io.cloudmw.core.store.LeafRange;
import io.cloudmw.helper.block.LeafMemory;
import io.cloudmw.helper.block.WantedBlock;
import io.cloudmw.helper.fetch.BlockAttempt;
import io.cloudmw.helper.fetch.Upstream;
import io.cloudmw.helper.remote.HelperConnections;
import io.cloudmw.helper.remote.RemoteRights;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The switches above this one, in the trees of switches that transfers name. Safe for any thread; never blocks.
 */
public final class UpstreamSwitches {
    /** Trees kept for the next block; a tree of 32 members takes about 32 KiB. */
    private static final int KEPT = 64;

    /** Bytes from switches above that may be on their way and not stored yet, besides a leaf of each block. */
    private static final long WINDOWS_BYTES = 16 << 20;

    private final HelperId self;
    private final HelperConnections connections;
    private final Executor threads;
    private final ByteBudget windows = new ByteBudget(WINDOWS_BYTES);
    /** Trees by their members: a tree takes far longer to make than to ask. */
    private final LoadingCache<List<HelperAddress>, SwitchTree> trees =
            Caffeine.newBuilder().maximumSize(KEPT).executor(Runnable::run).build(SwitchTree::new);

    /**
     * Asks no source yet.
     *
     * @param threads store the leaves that come; they may block
     */
    public UpstreamSwitches(HelperId self, HelperConnections connections, Executor threads) {
        this.self = self;
        this.connections = connections;
        this.threads = threads;
    }

    /** Switches that are asked now. */
    public int asked() {
        return connections.inUse();
    }

    /**
     * The trees of a transfer.
     *
     * @param helpers the helpers of its plan, or those of them that matter
     * @param members number of helpers, from the first, that are members of the trees; 0 when there are none
     * @param stores at least the stores of the replicas
     */
    public record Scope(List<HelperAddress> helpers, int members, List<Store> stores) {
        public Scope {
            helpers = List.copyOf(helpers);
            stores = List.copyOf(stores);
            if (members < 0 || members > helpers.size()) {
                throw new IllegalArgumentException("tree: " + members + " (expected: 0.." + helpers.size() + ")");
            }
        }
    }

    /**
     * The switches above this one, for one transfer.
     *
     * @param rights the transfer's rights, which are shown to them
     * @param tenant the client on whose behalf they are asked; they hear of its share
     * @param highest see {@link Upstream#highest}
     */
    public Upstream upstream(Scope scope, RemoteRights rights, Tenant tenant, int highest) {
        List<HelperAddress> members = scope.helpers().subList(0, scope.members());
        return members.isEmpty()
                ? new WithoutTrees(highest)
                : new InTrees(scope, trees.get(List.copyOf(members)), rights, tenant, highest);
    }

    /** A transfer without trees: no switch is above. */
    private record WithoutTrees(int highest) implements Upstream {
        @Override
        public Above of(WantedBlock block) {
            return NONE.of(block);
        }
    }

    /** The place of this helper in the trees of one transfer: a member, or below one. */
    private final class InTrees implements Upstream {
        private final Scope scope;
        private final SwitchTree tree;
        /** Negative when this helper is no member. */
        private final int rank;

        private final RemoteRights rights;
        private final Tenant tenant;
        private final int highest;

        InTrees(Scope scope, SwitchTree tree, RemoteRights rights, Tenant tenant, int highest) {
            this.scope = scope;
            this.tree = tree;
            this.rank = scope.helpers().subList(0, scope.members()).stream()
                    .map(HelperAddress::id)
                    .toList()
                    .indexOf(self);
            this.rights = rights;
            this.tenant = tenant;
            this.highest = highest;
        }

        @Override
        public int highest() {
            return highest;
        }

        @Override
        public Above of(WantedBlock block) {
            long blockBytes = ModePolicy.SWITCHED_BLOCK_BYTES;
            ChunkId chunk = block.leaves().chunk();
            long blocks = (block.chunkLength() + blockBytes - 1) / blockBytes;
            long number = block.leaves().range().offset() / blockBytes;
            SwitchTree.Position position =
                    rank < 0 ? tree.below(self.value(), chunk, blocks, number) : tree.of(rank, chunk, blocks, number);
            int height = Math.min(position.place(), highest);
            List<Parent> parents = position.above().stream()
                    .filter(ancestor -> ancestor.place() < height)
                    .<Parent>map(ancestor -> new ParentSwitch(scope.helpers().get(ancestor.rank()), ancestor.place()))
                    .toList();
            return new Above(height, parents);
        }

        private BulkRequest.Shared request(WantedBlock block, StoreId store, int height) {
            List<Store> stores = scope.stores().stream()
                    .filter(candidate -> block.replicas().contains(candidate.id()))
                    .toList();
            List<HelperAddress> helpers = Stream.concat(
                            scope.helpers().stream().limit(scope.members()),
                            scope.helpers().stream().filter(helper -> ownsOneOf(stores, helper)))
                    .distinct()
                    .map(HelperAddress::withoutVolumes)
                    .toList();
            return new BulkRequest.Shared(
                    rights.until(block.untilMillis()).toRead(block.leaves().chunk()),
                    issued(block, store),
                    stores,
                    helpers,
                    scope.members(),
                    height,
                    rights.urgency().get(),
                    false,
                    false,
                    tenant.share());
        }

        private final class ParentSwitch implements Parent {
            private final HelperAddress address;
            private final int height;

            ParentSwitch(HelperAddress address, int height) {
                this.address = address;
                this.height = height;
            }

            @Override
            public int height() {
                return height;
            }

            @Override
            public BlockAttempt start(
                    WantedBlock block, StoreId store, BlockAttempt.Listener listener, LeafMemory room) {
                ParentAttempt attempt =
                        new ParentAttempt(address.id().value(), block, listener, room, windows, threads);
                try {
                    attempt.ask(
                            connections.lease(address),
                            request(block, store, height).encode());
                } catch (CloudMwException e) {
                    attempt.refuse(e);
                }
                return attempt;
            }
        }
    }

    private static boolean ownsOneOf(List<Store> stores, HelperAddress helper) {
        return stores.stream().anyMatch(store -> store.owner().equals(Optional.of(helper.id())));
    }

    private static IssuedBlock issued(WantedBlock block, StoreId store) {
        LeafRange leaves = block.leaves();
        int replica = block.replicas().indexOf(block.named(store));
        return new IssuedBlock(
                new Block(
                        new BlockId(0),
                        block.race().chunkIndex(),
                        leaves.range(),
                        block.replicas().size(),
                        List.of(new Entrant(new RacerId(0), replica)),
                        BlockRule.SOLE),
                leaves.chunk(),
                block.chunkLength(),
                leaves.leafSizeBytes(),
                IntStream.range(0, leaves.leaves()).map(leaves::crc32c).toArray(),
                block.replicas(),
                block.extra(),
                Optional.empty(),
                block.trace());
    }
}
