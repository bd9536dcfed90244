package io.cloudmw.core.bulk;

import io.cloudmw.core.audit.AuditedPeer;
import io.cloudmw.core.bulk.frame.BulkViolation;
import io.cloudmw.core.bulk.frame.FrameHeader;
import io.cloudmw.core.bulk.frame.FrameLimits;
import io.cloudmw.core.bulk.frame.FrameSink;
import io.cloudmw.core.bulk.frame.FrameType;
import io.cloudmw.core.bulk.frame.ViolationException;
import io.cloudmw.core.bulk.message.BulkWire;
import io.cloudmw.core.bulk.message.BulkWire.Greeting;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.tls.ProcessIdentity;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.util.collection.IntObjectHashMap;
import io.netty.util.collection.IntObjectMap;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A bulk connection after its handshake, with its streams. Confined to the event loop, except the methods of {@link
 * BulkConnection}.
 */
@SuppressWarnings("FutureReturnValueIgnored") // Netty's: a failed write or close reaches the channel
final class Multiplexer implements BulkConnection, FrameSink {
    private static final Logger log = LoggerFactory.getLogger(Multiplexer.class);

    private final FrameChannel frames;
    private final BulkHandler handler;
    private final String sessionId;
    private final String peer;
    private final Optional<ProcessIdentity> identity;
    private final AuditedPeer audited;
    private final int peerMaxStreams;
    private final boolean connector;
    private final boolean interactive;
    private final AtomicInteger openedHere = new AtomicInteger();
    private final AtomicInteger holders = new AtomicInteger();
    private volatile boolean old;
    private volatile boolean closed;
    private final Map<Object, Runnable> whenClosed = new ConcurrentHashMap<>();
    private final IntObjectMap<MultiplexedStream> streams = new IntObjectHashMap<>();
    private final Set<MultiplexedStream> unopened = new LinkedHashSet<>();
    /** The peer's streams that were refused for the connection's age, until it has answered. */
    private final Set<MultiplexedStream> refused = new HashSet<>();

    private long acceptedStreams;
    private int openedThere;
    private int nextId;
    private int lastPeerId;

    /**
     * @param greeting the peer's
     * @param connector whether this side connected: its streams are odd, the other side's even
     * @param interactive whether the connecting side reserved it for small requests
     */
    Multiplexer(
            FrameChannel frames,
            BulkHandler handler,
            String sessionId,
            Greeting greeting,
            boolean connector,
            boolean interactive) {
        this.frames = frames;
        this.handler = handler;
        this.sessionId = sessionId;
        this.peer = greeting.process();
        this.audited = frames.peer();
        this.identity = audited.identity();
        // A peer that names no limit gets this side's.
        this.peerMaxStreams = greeting.maxStreams() > 0
                ? greeting.maxStreams()
                : frames.options().maxStreams();
        this.connector = connector;
        this.interactive = interactive;
        this.nextId = connector ? 1 : 2;
    }

    @Override
    public String sessionId() {
        return sessionId;
    }

    @Override
    public String peer() {
        return peer;
    }

    @Override
    public Optional<ProcessIdentity> peerIdentity() {
        return identity;
    }

    @Override
    public AuditedPeer auditedPeer() {
        return audited;
    }

    @Override
    public boolean isInteractive() {
        return interactive;
    }

    @Override
    public BulkStream open(byte[] request, BulkStreamListener listener) {
        requireControl("request", request);
        MultiplexedStream stream = MultiplexedStream.outgoing(this, request, listener);
        Runnable task = () -> begin(stream);
        if (openedHere.incrementAndGet() > peerMaxStreams) {
            openedHere.decrementAndGet();
            task = () -> stream.broken(new CloudMwException(
                    ErrorCode.OVERLOADED, peer + " takes no more than " + peerMaxStreams + " streams"));
        }
        if (!later(task)) {
            stream.broken(gone());
        }
        return stream;
    }

    @Override
    public void expect() {
        frames.expect();
    }

    @Override
    public boolean isOld() {
        return old;
    }

    @Override
    public void hold() {
        holders.incrementAndGet();
    }

    @Override
    public void release() {
        holders.decrementAndGet();
    }

    /** Lets nothing new begin here: the side that connected opens no streams, the other one refuses those of its peer. */
    void becomeOld() {
        old = true;
    }

    /** Returns whether no stream is open and nothing holds the connection. */
    boolean isUnused() {
        return holders.get() == 0 && openedHere.get() == 0 && openedThere == refused.size();
    }

    /** A count that grows with every stream that is not refused for the connection's age. */
    long openedStreams() {
        return (long) nextId + acceptedStreams;
    }

    @Override
    public boolean isClosed() {
        return closed;
    }

    @Override
    public Runnable onClosed(Runnable action) {
        Object key = new Object();
        whenClosed.put(key, action);
        if (closed) {
            runOnce(key);
        }
        return () -> whenClosed.remove(key);
    }

    private void runOnce(Object key) {
        Runnable action = whenClosed.remove(key);
        if (action != null) {
            try {
                action.run();
            } catch (RuntimeException | Error e) {
                log.error("what was to be done when the connection closed failed peer={}", peer, e);
            }
        }
    }

    private void completeClosed() {
        closed = true;
        whenClosed.keySet().forEach(this::runOnce);
    }

    @Override
    public void close(CloudMwException reason) {
        later(() -> frames.close(reason, true));
    }

    @Override
    public void close() {
        later(() -> frames.close(new CloudMwException(ErrorCode.CANCELLED, "the connection was closed here"), false));
    }

    @Override
    public String toString() {
        return "BulkConnection[" + peer + ", session " + sessionId + "]";
    }

    static void requireControl(String name, byte[] payload) {
        if (payload.length > FrameLimits.MAX_CONTROL_BYTES) {
            throw new IllegalArgumentException(
                    name + ": " + payload.length + " bytes (expected: <= " + FrameLimits.MAX_CONTROL_BYTES + ")");
        }
    }

    boolean later(Runnable task) {
        return frames.later(task);
    }

    BulkOptions options() {
        return frames.options();
    }

    OutboundScheduler outbound() {
        return frames.outbound();
    }

    /** Queues a stream that has frames to send. Any thread; a closed connection has failed the stream already. */
    void ready(MultiplexedStream stream) {
        later(() -> outbound().ready(stream));
    }

    /** Queues a stream that has credit to send. Any thread. */
    void grants(MultiplexedStream stream) {
        if (!frames.channel().eventLoop().inEventLoop() || !outbound().grantsLater(stream)) {
            later(stream::sendCredit);
        }
    }

    /** Runs a listener's method and returns what it threw. */
    @Nullable
    RuntimeException guarded(Runnable call) {
        try {
            call.run();
            return null;
        } catch (RuntimeException e) {
            log.warn("listener failed peer={}", peer, e);
            return e;
        }
    }

    /** The id of a stream whose OPEN is being written. */
    int opening(MultiplexedStream stream) {
        int id = nextId;
        nextId += 2;
        unopened.remove(stream);
        streams.put(id, stream);
        return id;
    }

    /** Forgets a stream for which no more frames can arrive. */
    void forget(MultiplexedStream stream) {
        if (stream.id() == 0) {
            unopened.remove(stream);
        } else {
            streams.remove(stream.id());
        }
        if (stream.openedHere()) {
            openedHere.decrementAndGet();
        } else {
            openedThere--;
            refused.remove(stream);
        }
    }

    private void begin(MultiplexedStream stream) {
        if (frames.cause() != null) {
            stream.broken(gone());
            return;
        }
        if (nextId < 0) {
            frames.close(new CloudMwException(ErrorCode.HELPER_UNAVAILABLE, "out of stream numbers"), true);
            stream.broken(gone());
            return;
        }
        unopened.add(stream);
        outbound().ready(stream);
    }

    private CloudMwException gone() {
        CloudMwException cause = frames.cause();
        return cause != null
                ? new CloudMwException(cause.code(), String.valueOf(cause.getMessage()), cause)
                : new CloudMwException(ErrorCode.HELPER_UNAVAILABLE, "the connection to " + peer + " is closed");
    }

    @Override
    public boolean admit(FrameHeader header) throws ViolationException {
        int id = header.stream();
        switch (header.type()) {
            case HELLO, HELLO_ACK -> throw new ViolationException(BulkViolation.WRONG_ORDER, "a second handshake");
            case OPEN -> admitOpen(id);
            case DATA -> {
                frames.metrics().received(header.length());
                return live(header).admitData(header.length());
            }
            case END -> live(header).admitEnd();
            case CREDIT, RESET -> {
                // Both may cross with the end of the stream.
                if (id != 0 && !wasOpened(id)) {
                    throw unknown(header);
                }
            }
            case PING, PONG -> {}
        }
        return true;
    }

    private void admitOpen(int id) throws ViolationException {
        if (isOurs(id) || id <= lastPeerId) {
            throw new ViolationException(BulkViolation.BAD_STREAM, "OPEN of stream " + id + " after " + lastPeerId);
        }
        if (openedThere >= options().maxStreams()) {
            throw new ViolationException(
                    BulkViolation.TOO_MANY_STREAMS, "more than " + options().maxStreams() + " open");
        }
    }

    private MultiplexedStream live(FrameHeader header) throws ViolationException {
        MultiplexedStream stream = streams.get(header.stream());
        if (stream == null) {
            throw unknown(header);
        }
        return stream;
    }

    private static ViolationException unknown(FrameHeader header) {
        return new ViolationException(BulkViolation.UNKNOWN_STREAM, header.type() + " on stream " + header.stream());
    }

    private boolean isOurs(int id) {
        return ((id & 1) == 1) == connector;
    }

    private boolean wasOpened(int id) {
        // After the last possible id the next one is negative.
        return isOurs(id) ? nextId < 0 || id < nextId : id <= lastPeerId;
    }

    @Override
    public void frame(FrameHeader header, ByteBuf payload) throws ViolationException {
        MultiplexedStream stream = streams.get(header.stream());
        if (header.type() == FrameType.DATA) {
            if (stream != null) {
                stream.data(payload, header.crc32c());
            } else {
                payload.release();
            }
            return;
        }
        byte[] content = ByteBufUtil.getBytes(payload);
        payload.release();
        switch (header.type()) {
            case OPEN -> opened(header.stream(), content);
            case CREDIT -> {
                if (stream != null) {
                    stream.granted(readLong(content));
                }
            }
            case END -> {
                if (stream != null) {
                    stream.ended(content);
                }
            }
            case RESET -> reset(header.stream(), stream, content);
            case PING -> outbound().pong();
            case PONG, HELLO, HELLO_ACK, DATA -> {}
        }
    }

    private void opened(int id, byte[] request) {
        lastPeerId = id;
        openedThere++;
        MultiplexedStream stream = MultiplexedStream.incoming(this, id);
        streams.put(id, stream);
        if (old && !connector) {
            refused.add(stream);
            stream.fail(new CloudMwException(
                    ErrorCode.HELPER_UNAVAILABLE,
                    "the connection has reached its age and takes no new streams: connect again"));
            return;
        }
        acceptedStreams++;
        try {
            stream.accepted(handler.opened(stream, request));
        } catch (CloudMwException e) {
            stream.fail(e);
        } catch (RuntimeException e) {
            log.warn("handler failed peer={}", peer, e);
            stream.fail(new CloudMwException(ErrorCode.INTERNAL, "handler: " + e, e));
        }
    }

    private void reset(int id, @Nullable MultiplexedStream stream, byte[] content) throws ViolationException {
        CloudMwException cause;
        try {
            cause = BulkWire.readReset(content);
        } catch (CloudMwException e) {
            throw new ViolationException(BulkViolation.BAD_MESSAGE, String.valueOf(e.getMessage()));
        }
        if (id == 0) {
            frames.close(cause, false);
        } else if (stream != null) {
            stream.resetByPeer(cause);
        }
    }

    private static long readLong(byte[] content) {
        long value = 0;
        for (byte b : content) {
            value = value << Byte.SIZE | (b & 0xFF);
        }
        return value;
    }

    @Override
    public void damaged(FrameHeader header) throws ViolationException {
        MultiplexedStream stream = streams.get(header.stream());
        if (header.type() != FrameType.DATA || stream == null) {
            throw new ViolationException(BulkViolation.BAD_CHECKSUM, header.type() + " on stream " + header.stream());
        }
        // The frame's borders are intact and only its payload is wrong, most likely a replica on the peer's disk.
        frames.metrics().violation(BulkViolation.BAD_CHECKSUM.tag());
        stream.damaged(header.length());
    }

    @Override
    public void closed(CloudMwException cause) {
        List<MultiplexedStream> failing = new ArrayList<>(streams.values());
        failing.addAll(unopened);
        streams.clear();
        unopened.clear();
        for (MultiplexedStream stream : failing) {
            stream.broken(cause);
        }
        // Last, so that the streams have heard the cause before any action on closing runs.
        frames.channel().closeFuture().addListener(gone -> completeClosed());
    }
}
