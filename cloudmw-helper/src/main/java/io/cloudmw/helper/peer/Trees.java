package io.cloudmw.helper.peer;

import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.LoadingCache;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.memory.ByteBudget;
import io.cloudmw.core.mode.ModePolicy;
import io.cloudmw.core.model.ChunkId;
import io.cloudmw.core.model.HelperAddress;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.Store;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.placement.SwitchTree;
import io.cloudmw.core.race.Block;
import io.cloudmw.core.race.BlockId;
import io.cloudmw.core.race.BlockRule;
import io.cloudmw.core.race.Entrant;
import io.cloudmw.core.race.RacerId;
import io.cloudmw.core.schedule.Tenant;
import io.cloudmw.core.store.LeafRange;
import io.cloudmw.core.wire.BulkRequest;
import io.cloudmw.core.wire.IssuedBlock;
import io.cloudmw.helper.fetch.Attempt;
import io.cloudmw.helper.fetch.LeafRoom;
import io.cloudmw.helper.fetch.Upstream;
import io.cloudmw.helper.fetch.WantedBlock;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** How this helper asks the switches above it, in the trees it is told of. Safe for any thread; never blocks. */
public final class Trees {
    /** Trees that are kept for the next block; of 32 members one takes about 32 KiB. */
    private static final int KEPT = 64;

    /** Of all that is asked of switches above: what may be on its way and not put away yet, besides a leaf of each block. */
    private static final long WINDOWS_BYTES = 16 << 20;

    private final HelperId self;
    private final PeerConnections connections;
    private final Executor threads;
    private final ByteBudget windows = new ByteBudget(WINDOWS_BYTES);
    /** By their members: each is asked about many blocks, and takes far longer to make than to ask. */
    private final LoadingCache<List<HelperAddress>, SwitchTree> trees =
            Caffeine.newBuilder().maximumSize(KEPT).executor(Runnable::run).build(SwitchTree::new);

    /**
     * Asks nobody yet.
     *
     * @param threads put away what comes; they may block
     */
    public Trees(HelperId self, PeerConnections connections, Executor threads) {
        this.self = self;
        this.connections = connections;
        this.threads = threads;
    }

    /** Switches that are being asked now. */
    public int asked() {
        return connections.inUse();
    }

    /**
     * What a transfer says of its trees.
     *
     * @param helpers of its plan, or those of them that matter
     * @param members the first so many are the members of the trees; 0: there are none
     * @param stores those of the replicas, at least
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
     * The switches above this one.
     *
     * @param rights shown to them
     * @param tenant on whose behalf they are asked: they hear of its share
     * @param highest see {@link Upstream#highest}
     */
    public Upstream upstream(Scope scope, PeerRights rights, Tenant tenant, int highest) {
        List<HelperAddress> members = scope.helpers().subList(0, scope.members());
        return members.isEmpty()
                ? new Alone(highest)
                : new Below(scope, trees.get(List.copyOf(members)), rights, tenant, highest);
    }

    /** Where there are no trees nobody is above. */
    private record Alone(int highest) implements Upstream {
        @Override
        public Above of(WantedBlock block) {
            return NONE.of(block);
        }
    }

    /** This helper, as a member of the trees of one transfer, or below one. */
    private final class Below implements Upstream {
        private final Scope scope;
        private final SwitchTree tree;
        /** Negative: it is no member. */
        private final int rank;

        private final PeerRights rights;
        private final Tenant tenant;
        private final int highest;

        Below(Scope scope, SwitchTree tree, PeerRights rights, Tenant tenant, int highest) {
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
                    .<Parent>map(ancestor -> new Ancestor(scope.helpers().get(ancestor.rank()), ancestor.place()))
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

        private final class Ancestor implements Parent {
            private final HelperAddress address;
            private final int height;

            Ancestor(HelperAddress address, int height) {
                this.address = address;
                this.height = height;
            }

            @Override
            public int height() {
                return height;
            }

            @Override
            public Attempt start(WantedBlock block, StoreId store, Attempt.Listener listener, LeafRoom room) {
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
                block.extra());
    }
}
