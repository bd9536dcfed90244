package io.cloudmw.helper.switching;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cloudmw.core.bulk.message.BulkRequest;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.memory.ByteBudget;
import io.cloudmw.core.metrics.SwitchMetrics;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.Priority;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.Urgency;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.fleet.HelperAddress;
import io.cloudmw.core.model.volume.VolumeSet;
import io.cloudmw.core.race.Block;
import io.cloudmw.core.race.BlockId;
import io.cloudmw.core.race.BlockRule;
import io.cloudmw.core.race.Entrant;
import io.cloudmw.core.race.IssuedBlock;
import io.cloudmw.core.race.RacerId;
import io.cloudmw.core.schedule.Tenant;
import io.cloudmw.core.security.ClusterSecret;
import io.cloudmw.core.security.TokenHolder;
import io.cloudmw.core.security.TransferClaims;
import io.cloudmw.core.security.TransferRight;
import io.cloudmw.core.security.TransferTokens;
import io.cloudmw.core.testing.store.Chunks;
import io.cloudmw.core.thread.Threads;
import io.cloudmw.core.tls.ProcessIdentity;
import io.cloudmw.core.tls.ProcessRole;
import io.cloudmw.helper.block.LeavesBlock;
import io.cloudmw.helper.block.Spool;
import io.cloudmw.helper.block.WantedBlock;
import io.cloudmw.helper.fetch.BlockAttempt;
import io.cloudmw.helper.fetch.BlockFetcher;
import io.cloudmw.helper.fetch.Requester;
import io.cloudmw.helper.fetch.StoreFetcher;
import io.cloudmw.helper.serve.AuthorizedStreams;
import io.cloudmw.helper.testing.FakeBulkStream;
import io.cloudmw.helper.testing.Fetches;
import io.cloudmw.helper.testing.IdleAttempt;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.buffer.PooledByteBufAllocator;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ScheduledExecutorService;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class SharedReadHandlerTest {
    private static final StoreId STORE = new StoreId("s");
    private static final int READS = 100;

    @TempDir
    private Path directory;

    private final TransferTokens tokens =
            new TransferTokens(ClusterSecret.of(new byte[ClusterSecret.MIN_BYTES]), () -> 0);
    private final ChunkId chunk = Chunks.id();
    private final ScheduledExecutorService timer = Threads.timer("test-timer");
    private final List<Tenant> tenants = new ArrayList<>();
    /** A requester of a fetch that never ends by itself. */
    private final List<BlockAttempt.Listener> waiting = new ArrayList<>();

    /** Fetches for one reader alone. */
    private final List<BlockAttempt.Listener> alone = new ArrayList<>();

    private final List<WantedBlock> wanted = new ArrayList<>();
    private boolean keeping;
    /** The requesters that were made. */
    private String session = "session";

    /** The identity of the process that asks; empty: plain text. */
    private Optional<ProcessIdentity> peer = Optional.empty();

    /** The client to which the tokens are bound. */
    private Optional<ProcessIdentity> holder = Optional.empty();

    private Spool spool;
    private StoreFetcher fetcher;
    private SharedReadHandler reads;

    @BeforeEach
    void start() throws IOException {
        spool = Spool.open(directory.resolve("spool"), new ByteBudget(1 << 20));
        fetcher = new StoreFetcher(
                Fetches.pools(timer, 1, 100),
                new StoreFetcher.Limits(Fetches.LEAF, 1),
                new ByteBudget(1 << 20),
                spool,
                PooledByteBufAllocator.DEFAULT);
        reads = handler(VolumeSet.ALL);
    }

    private SharedReadHandler handler(VolumeSet switched) {
        return new SharedReadHandler(
                switched,
                new AuthorizedStreams(tokens),
                new SharedReadHandler.Fetchers(new Waiting(waiting), new Waiting(alone), fetcher),
                (request, claims, tenant) -> {
                    tenants.add(tenant);
                    return Fetches.requester(id -> {
                        throw new AssertionError("nothing is read");
                    });
                },
                new SwitchMetrics(new SimpleMeterRegistry()),
                new SharedReadHandler.Limits(100, READS));
    }

    private final class Waiting implements BlockFetcher {
        private final List<BlockAttempt.Listener> listeners;

        Waiting(List<BlockAttempt.Listener> listeners) {
            this.listeners = listeners;
        }

        @Override
        public BlockAttempt start(
                Requester requester, WantedBlock block, StoreId store, BlockAttempt.Listener listener) {
            listeners.add(listener);
            wanted.add(block);
            return new IdleAttempt(() -> {});
        }

        @Override
        public boolean keeps(WantedBlock block) {
            return keeping;
        }
    }

    @AfterEach
    void stop() {
        fetcher.close();
        spool.close();
        timer.shutdownNow();
    }

    private void ask(Priority priority, boolean reader, int share) throws CloudMwException {
        ask(priority, reader, false, share);
    }

    private FakeBulkStream ask(Priority priority, boolean reader, boolean kept, int share) throws CloudMwException {
        TransferClaims claims = new TransferClaims(
                Set.of(TransferRight.READ),
                new FilePath(new VolumeName("v"), "/f"),
                chunk.version(),
                Long.MAX_VALUE,
                holder.map(identity -> new TokenHolder(identity.holder(), 0, 0)));
        Block block = new Block(
                new BlockId(0), 0, new ByteRange(0, 1), 1, List.of(new Entrant(new RacerId(0), 0)), BlockRule.SOLE);
        BulkRequest.Shared request = new BulkRequest.Shared(
                tokens.issue(claims),
                new IssuedBlock(block, chunk, 1, Fetches.LEAF, new int[] {0}, List.of(STORE), false),
                List.of(),
                List.of(new HelperAddress(new HelperId("h"), "127.0.0.1:1", "127.0.0.1:2")),
                1,
                0,
                Urgency.of(priority),
                reader,
                kept,
                share);
        String asking = session;
        Optional<ProcessIdentity> identity = peer;
        FakeBulkStream stream = new FakeBulkStream() {
            @Override
            public String sessionId() {
                return asking;
            }

            @Override
            public Optional<ProcessIdentity> peerIdentity() {
                return identity;
            }
        };
        stream.open(request.encode(), reads.open(stream, request));
        return stream;
    }

    /** A switch below tells on behalf of which client it asks, and how urgent the request is. */
    @Test
    void switchHasAShareForEachClientAndAReaderHasOne() throws CloudMwException {
        ask(Priority.BATCH, false, 3);
        ask(Priority.INTERACTIVE, false, 4);
        ask(Priority.INTERACTIVE, true, 5);
        assertThat(tenants)
                .containsExactly(
                        new Tenant("session#3", "v", Priority.BATCH),
                        new Tenant("session#4", "v", Priority.INTERACTIVE),
                        new Tenant("session", "v", Priority.INTERACTIVE));
    }

    /** A reader's certificate names its subject; a switch passes on the token, which names it, too. */
    @Test
    void subjectIsTheClientByWhateverConnectionAndSwitchItsRequestsCome() throws CloudMwException {
        ProcessIdentity app = new ProcessIdentity("c", ProcessRole.CLIENT, "app");
        holder = Optional.of(app);
        peer = Optional.of(app);
        ask(Priority.BATCH, true, 0);
        session = "second";
        ask(Priority.BATCH, true, 0);
        session = "switch";
        peer = Optional.of(new ProcessIdentity("c", ProcessRole.HELPER, "h2"));
        ask(Priority.BATCH, false, 3);
        assertThat(tenants).hasSize(3).extracting(Tenant::client).containsOnly(app.holder());
    }

    @Test
    void subjectGetsAtMostHalfOfTheSlotsByAllItsConnections() throws CloudMwException {
        ProcessIdentity app = new ProcessIdentity("c", ProcessRole.CLIENT, "app");
        holder = Optional.of(app);
        peer = Optional.of(app);
        for (int read = 0; read < READS / 2; read++) {
            session = "connection-" + read % 8;
            ask(Priority.BATCH, true, 0);
        }
        session = "another";
        assertThatThrownBy(() -> ask(Priority.BATCH, true, 0))
                .isInstanceOfSatisfying(
                        CloudMwException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.OVERLOADED));
        ProcessIdentity other = new ProcessIdentity("c", ProcessRole.CLIENT, "other");
        holder = Optional.of(other);
        peer = Optional.of(other);
        ask(Priority.BATCH, true, 0);
        assertThat(waiting).hasSize(READS / 2 + 1);
    }

    @Test
    void switchCountsAsAChildWhileItIsServedAndAReaderDoesNot() throws CloudMwException {
        assertThat(reads.children()).isZero();
        ask(Priority.BATCH, true, 0);
        assertThat(reads.children()).isZero();
        ask(Priority.BATCH, false, 3);
        ask(Priority.BATCH, false, 4);
        assertThat(reads.children()).isEqualTo(1);
        waiting.forEach(listener -> listener.failed(new CloudMwException(ErrorCode.STORE_UNAVAILABLE, "not now"), 0));
        assertThat(reads.children()).isZero();
    }

    /** The failure comes before or after the first bytes. */
    @Test
    void requestWithoutRoomFailsWithARetryAfter() throws CloudMwException {
        CloudMwException full = CloudMwException.overloaded("no room", Duration.ofSeconds(7));
        FakeBulkStream waits = ask(Priority.BATCH, true, false, 0);
        FakeBulkStream comes = ask(Priority.BATCH, true, false, 0);
        waiting.get(1).began(new LeavesBlock(wanted.get(1)));
        waiting.forEach(listener -> listener.failed(full, 0));
        assertThat(List.of(waits, comes))
                .allSatisfy(stream -> assertThat(stream.reasons)
                        .singleElement()
                        .satisfies(why -> assertThat(why.code()).isEqualTo(ErrorCode.OVERLOADED))
                        .satisfies(why -> assertThat(why.retryAfter()).contains(Duration.ofSeconds(7))));
    }

    /** The answer is one byte of credit or an error at once; nothing is fetched. */
    @Test
    void cachedOnlyRequestIsServedOnlyFromTheCache() throws CloudMwException {
        assertThatThrownBy(() -> ask(Priority.BATCH, true, true, 0))
                .isInstanceOfSatisfying(
                        CloudMwException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.NOT_FOUND));
        assertThat(waiting).isEmpty();
        keeping = true;
        FakeBulkStream kept = ask(Priority.BATCH, true, true, 0);
        FakeBulkStream other = ask(Priority.BATCH, true, false, 0);
        assertThat(waiting).hasSize(2);
        assertThat(kept.granted).as("until all of it is at hand").isZero();
        for (int read = 0; read < 2; read++) {
            waiting.get(read).finished(new LeavesBlock(wanted.get(read)));
        }
        assertThat(kept.granted).isEqualTo(1);
        assertThat(other.granted).isZero();
    }

    /** Slow readers of cached blocks hold slots; other requests must have room. */
    @Test
    void cachedOnlyRequestsTakeAtMostHalfOfTheSlots() throws CloudMwException {
        keeping = true;
        for (int read = 0; read < READS / 2; read++) {
            ask(Priority.BATCH, true, true, 0);
        }
        assertThatThrownBy(() -> ask(Priority.BATCH, true, true, 0))
                .isInstanceOfSatisfying(
                        CloudMwException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.NOT_FOUND));
        session = "another";
        ask(Priority.BATCH, true, false, 0);
        assertThat(waiting).hasSize(READS / 2 + 1);
    }

    /** Switches share the blocks of their volumes only; the cache has no others. */
    @Test
    void blockOfAnotherVolumeIsFetchedForItsReaderAlone() throws CloudMwException {
        reads = handler(VolumeSet.NONE);
        ask(Priority.INTERACTIVE, true, 0);
        assertThat(alone).hasSize(1);
        assertThat(waiting).isEmpty();
        keeping = true;
        assertThatThrownBy(() -> ask(Priority.INTERACTIVE, true, true, 0)).isInstanceOf(CloudMwException.class);
        assertThatThrownBy(() -> ask(Priority.INTERACTIVE, false, 3))
                .isInstanceOfSatisfying(
                        CloudMwException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.HELPER_UNAVAILABLE));
        assertThat(alone).hasSize(1);
    }

    /** A slow connection would occupy all slots otherwise. */
    @Test
    void connectionGetsAtMostHalfOfTheSlots() throws CloudMwException {
        for (int read = 0; read < READS / 2; read++) {
            ask(Priority.BATCH, read % 2 == 0, read % 16);
        }
        assertThatThrownBy(() -> ask(Priority.INTERACTIVE, true, 0))
                .isInstanceOfSatisfying(CloudMwException.class, e -> {
                    assertThat(e.code()).isEqualTo(ErrorCode.OVERLOADED);
                    assertThat(e.retryAfter()).isPresent();
                });
        session = "another";
        ask(Priority.BATCH, true, 0);
        waiting.forEach(listener -> listener.failed(new CloudMwException(ErrorCode.STORE_UNAVAILABLE, "not now"), 0));
        session = "session";
        ask(Priority.BATCH, true, 0);
    }
}
