package io.cloudmw.client.peer.server;

import io.cloudmw.client.peer.PeerNode;
import io.cloudmw.client.peer.PeerOptions;
import io.cloudmw.client.rpc.coordinator.CoordinatorClient;
import io.cloudmw.core.address.AddressPolicy;
import io.cloudmw.core.address.HostNetwork;
import io.cloudmw.core.config.HostPort;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.Reasons;
import io.cloudmw.core.metrics.PeerMetrics;
import io.cloudmw.core.model.PeerId;
import io.cloudmw.core.model.fleet.Location;
import io.cloudmw.core.placement.PeerAnnouncement;
import io.cloudmw.core.security.PeerKey;
import io.cloudmw.core.thread.Threads;
import io.cloudmw.core.time.Ticker;
import io.cloudmw.core.time.WallClock;
import io.cloudmw.core.tls.TlsOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The chunk server of this client. It announces what it holds to the coordinator, periodically and soon after a change.
 * Safe for any thread.
 */
public final class LocalPeer implements PeerNode {
    private static final Logger log = LoggerFactory.getLogger(LocalPeer.class);

    /** The delay between a change and its announcement. */
    private static final long LOOK_NANOS = Duration.ofMillis(200).toNanos();

    private static final long FIRST_INTERVAL_NANOS = Duration.ofSeconds(2).toNanos();
    private static final long GOODBYE_SECONDS = 1;

    private static final PeerMetrics.Client<LocalPeer> FIGURES = new PeerMetrics.Client<>(
            LocalPeer::sentBytes,
            LocalPeer::refusals,
            node -> node.server.displaced(),
            node -> node.chunks.heldBytes(),
            node -> node.chunks.skipped());

    private final PeerId id = PeerId.random();
    private final PeerKey key = PeerKey.random();
    private final CoordinatorClient coordinator;
    private final Location location;
    private final ScheduledExecutorService timer;
    private final Ticker ticker;
    private final PeerChunkCache chunks;
    private final PeerServer server;
    private final String address;
    private final AtomicBoolean closed = new AtomicBoolean();
    private final AtomicBoolean telling = new AtomicBoolean();

    private volatile long intervalNanos = FIRST_INTERVAL_NANOS;
    private volatile long toldChanges;
    private volatile long toldNanos;

    /** The failure of the last announcement: the next one is due as if nothing had changed. */
    private volatile @Nullable CloudMwException inVain;

    private LocalPeer(
            CoordinatorClient coordinator,
            Location location,
            ScheduledExecutorService timer,
            Executor files,
            Ticker ticker,
            PeerOptions options)
            throws CloudMwException {
        this.coordinator = coordinator;
        this.location = location;
        this.timer = timer;
        this.ticker = ticker;
        AddressPolicy.Decision decided =
                new AddressPolicy(coordinator.addresses(), HostNetwork.ofThisMachine()).decide(wish(options));
        if (coordinator.certificates().tls().isEmpty()) {
            TlsOptions.requirePlainText("listen", decided.listen());
        }
        makeDirectory(options.directory());
        chunks = new PeerChunkCache(options.directory(), options.keepBytes(), files);
        server = new PeerServer(
                id, coordinator.certificates().tls(), key.tokens(WallClock.system()), chunks, options, ticker);
        address = decided.advertised(server.port()).toString();
        toldNanos = ticker.nanos();
        PeerMetrics.watch(options.meters(), this, FIGURES);
    }

    private static AddressPolicy.SocketSettings wish(PeerOptions options) {
        return new AddressPolicy.SocketSettings(
                "listen", Optional.of(HostPort.parse(options.listen())), "advertise-host", options.advertiseHost(), 0);
    }

    private static void makeDirectory(Path directory) throws CloudMwException {
        try {
            if (!Files.isDirectory(directory)) {
                Files.createDirectories(directory);
            }
        } catch (IOException e) {
            throw new CloudMwException(
                    ErrorCode.LOCAL_IO, directory + ": cannot be used to keep chunks: " + Reasons.of(e), e);
        }
    }

    /**
     * Starts a peer that holds nothing yet.
     *
     * @param location this client's location
     * @param files may block
     * @throws CloudMwException {@code LOCAL_IO} when the address cannot be bound or the directory for chunks cannot be
     *     used; {@code INVALID_ARGUMENT} when neighbours could not reach the address
     */
    public static LocalPeer start(
            CoordinatorClient coordinator,
            Location location,
            ScheduledExecutorService timer,
            Executor files,
            Ticker ticker,
            PeerOptions options)
            throws CloudMwException {
        LocalPeer node = new LocalPeer(coordinator, location, timer, files, ticker, options);
        node.lookLater();
        return node;
    }

    @Override
    public PeerId id() {
        return id;
    }

    @Override
    public String address() {
        return address;
    }

    /** The chunks that are held. */
    public PeerChunkCache chunks() {
        return chunks;
    }

    @Override
    public int heldChunks() {
        return chunks.held().size();
    }

    @Override
    public long heldBytes() {
        return chunks.heldBytes();
    }

    @Override
    public void awaitWritten() throws InterruptedException {
        chunks.awaitWritten();
    }

    @Override
    public long sentBytes() {
        return server.sentBytes();
    }

    @Override
    public long refusals() {
        return server.refused();
    }

    @Override
    public boolean isAnnounced() {
        return toldChanges == chunks.changes();
    }

    @Override
    public Optional<CloudMwException> announcementFailure() {
        return Optional.ofNullable(inVain);
    }

    private void lookLater() {
        if (!closed.get()) {
            var unused = Threads.later(timer, LOOK_NANOS, this::look);
        }
    }

    private void look() {
        server.endIdle();
        long now = chunks.changes();
        boolean due = now > 0 && ticker.nanos() - toldNanos >= intervalNanos;
        boolean news = now != toldChanges && inVain == null;
        if ((due || news) && telling.compareAndSet(false, true)) {
            tell(now);
        }
        lookLater();
    }

    private static CloudMwException why(@Nullable Throwable failure) {
        Throwable cause = failure == null ? null : Reasons.unwrapped(failure);
        return cause instanceof CloudMwException known
                ? known
                : new CloudMwException(ErrorCode.INTERNAL, "peer not announced: " + cause);
    }

    private void tell(long changes) {
        toldNanos = ticker.nanos();
        var unused = coordinator
                .announce(new PeerAnnouncement(id, address, key, location, chunks.held()))
                .handle((interval, failure) -> {
                    inVain = interval != null ? null : why(failure);
                    if (interval != null) {
                        toldChanges = changes;
                        intervalNanos = Math.max(LOOK_NANOS, interval.toNanos());
                    } else {
                        log.debug("peer {}: not announced", id, failure);
                    }
                    telling.set(false);
                    return null;
                });
    }

    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        if (chunks.changes() > 0) {
            try {
                coordinator.leave(id, key).get(GOODBYE_SECONDS, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } catch (ExecutionException | TimeoutException e) {
                log.debug("peer {}: the coordinator was not told that it stops", id, e);
            }
        }
        server.close();
        chunks.close();
    }
}
