package io.cloudmw.client.peer.server;

import io.cloudmw.client.peer.PeerOptions;
import io.cloudmw.core.bulk.BulkConnection;
import io.cloudmw.core.bulk.BulkHandler;
import io.cloudmw.core.bulk.BulkOptions;
import io.cloudmw.core.bulk.BulkServer;
import io.cloudmw.core.bulk.BulkStream;
import io.cloudmw.core.bulk.BulkStreamListener;
import io.cloudmw.core.bulk.BulkTransport;
import io.cloudmw.core.bulk.message.BulkRequest;
import io.cloudmw.core.config.HostPort;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.PeerId;
import io.cloudmw.core.security.TransferClaims;
import io.cloudmw.core.security.TransferRight;
import io.cloudmw.core.security.TransferTokens;
import io.cloudmw.core.time.Ticker;
import io.cloudmw.core.tls.ProcessIdentity;
import io.cloudmw.core.tls.TlsCredentials;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/**
 * A server of held chunks to neighbours that present a token signed for this peer. It serves only held chunks and
 * fetches nothing. Safe for any thread.
 */
final class PeerServer implements AutoCloseable {
    private static final int EVENT_LOOPS = 2;
    private static final Duration HANDSHAKE = Duration.ofSeconds(5);
    private static final Duration IDLE = Duration.ofSeconds(30);
    private static final long TAKES_NOTHING_NANOS = Duration.ofSeconds(30).toNanos();

    /** Connections per upload, handshakes included. */
    private static final int CONNECTIONS = 4;

    /** Idle connections per upload, so that a new neighbour always finds room. */
    private static final int IDLE_CONNECTIONS = 2;

    private final PeerId self;
    private final TransferTokens tokens;
    private final PeerChunkCache chunks;
    private final Semaphore room;
    private final int uploads;
    private final AtomicLong sentBytes = new AtomicLong();
    private final AtomicLong refused = new AtomicLong();
    private final Set<PeerUpload> open = ConcurrentHashMap.newKeySet();
    private final Ticker ticker;
    private final PeerSessions neighbours;
    private final BulkTransport transport;
    private final BulkServer server;

    /**
     * Starts the server.
     *
     * @param tls the certificates of its connections; empty: plain text
     * @param tokens verifies the readers' tokens
     * @throws CloudMwException {@code LOCAL_IO} when the address cannot be bound
     */
    PeerServer(
            PeerId self,
            Optional<TlsCredentials> tls,
            TransferTokens tokens,
            PeerChunkCache chunks,
            PeerOptions options,
            Ticker ticker)
            throws CloudMwException {
        this.self = self;
        this.tokens = tokens;
        this.chunks = chunks;
        this.ticker = ticker;
        uploads = options.uploads();
        room = new Semaphore(uploads);
        neighbours = new PeerSessions(IDLE_CONNECTIONS * uploads);
        // A neighbour has one connection for all its requests at a time.
        BulkOptions limits = BulkOptions.defaults()
                .withTimeouts(HANDSHAKE, IDLE)
                .withMaxStreams(uploads)
                .withMaxConnections(CONNECTIONS * uploads);
        transport = new BulkTransport("cloudmw-client-peer", EVENT_LOOPS, limits, tls, options.meters());
        boolean bound = false;
        try {
            HostPort listen = HostPort.parse(options.listen());
            InetSocketAddress address = new InetSocketAddress(listen.host(), listen.port());
            server = BulkServer.bindClient(transport, address, new Accepting());
            bound = true;
        } finally {
            if (!bound) {
                transport.close();
            }
        }
    }

    int port() {
        return server.port();
    }

    /** The bytes handed to neighbours' connections so far. */
    long sentBytes() {
        return sentBytes.get();
    }

    /** The number of requests that were refused, for want of a slot, the chunk or a right. */
    long refused() {
        return refused.get();
    }

    /** The number of idle connections that were closed to make room. */
    long displaced() {
        return neighbours.displaced();
    }

    private final class Accepting implements BulkHandler {
        @Override
        public void connected(BulkConnection connection) {
            neighbours.connected(connection);
        }

        @Override
        public BulkStreamListener opened(BulkStream stream, byte[] request) throws CloudMwException {
            neighbours.begun(stream.connection());
            boolean begun = false;
            try {
                BulkStreamListener upload = upload(stream, request);
                begun = true;
                return upload;
            } finally {
                if (!begun) {
                    refused.incrementAndGet();
                    neighbours.ended(stream.connection());
                }
            }
        }
    }

    private BulkStreamListener upload(BulkStream stream, byte[] request) throws CloudMwException {
        if (!(BulkRequest.decode(request) instanceof BulkRequest.Read read)) {
            throw new CloudMwException(ErrorCode.INVALID_ARGUMENT, "request: not a read (a peer serves reads only)");
        }
        TransferClaims claims = tokens.verify(
                read.token().bytes(), ProcessIdentity.bearer(stream.connection().peerIdentity()));
        claims.require(TransferRight.READ, read.chunk());
        if (!read.store().value().equals(self.value())) {
            throw new CloudMwException(ErrorCode.STORE_UNAVAILABLE, "this is " + self + ", not " + read.store());
        }
        if (!room.tryAcquire()) {
            throw new CloudMwException(
                    ErrorCode.OVERLOADED, "chunk=" + read.chunk() + ": " + uploads + " uploads at once already");
        }
        PeerChunk chunk = chunks.use(read.chunk());
        if (chunk == null || !chunk.covers(read.range())) {
            room.release();
            if (chunk != null) {
                chunks.end(chunk);
                throw new CloudMwException(
                        ErrorCode.INVALID_ARGUMENT,
                        "chunk=" + read.chunk() + " range=" + read.range() + " (expected: whole leaves within it)");
            }
            throw new CloudMwException(ErrorCode.NOT_FOUND, "chunk=" + read.chunk() + ": not held here");
        }
        return begun(stream, chunk, read.range());
    }

    private PeerUpload begun(BulkStream stream, PeerChunk chunk, ByteRange range) {
        AtomicReference<PeerUpload> own = new AtomicReference<>();
        PeerUpload upload = new PeerUpload(stream, chunk, range, ticker, new PeerUpload.Listener() {
            @Override
            public void over(long sent) {
                open.remove(own.get());
                sentBytes.addAndGet(sent);
                chunks.end(chunk);
                room.release();
                neighbours.ended(stream.connection());
            }

            @Override
            public void corrupt() {
                chunks.drop(chunk.id());
            }
        });
        own.set(upload);
        open.add(upload);
        return upload;
    }

    /** Ends uploads whose neighbour has taken nothing for long; called at intervals. */
    void endIdle() {
        open.forEach(upload -> upload.endIfIdle(TAKES_NOTHING_NANOS));
    }

    /** Stops the server and closes its connections. Not for event loops. Idempotent. */
    @Override
    public void close() {
        server.close();
        transport.close();
    }
}
