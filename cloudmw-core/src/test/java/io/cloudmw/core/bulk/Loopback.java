package io.cloudmw.core.bulk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cloudmw.core.bulk.frame.BulkViolation;
import io.cloudmw.core.metrics.BulkMetrics;
import io.cloudmw.core.tls.ProcessRole;
import io.cloudmw.core.tls.TlsCredentials;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.buffer.PoolArenaMetric;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.epoll.Epoll;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** A server and a connector in this process, each on a transport of its own; closing it fails when memory leaked. */
final class Loopback implements AutoCloseable {
    final SimpleMeterRegistry serverMeters = new SimpleMeterRegistry();
    final SimpleMeterRegistry clientMeters = new SimpleMeterRegistry();
    final BulkTransport serverTransport;
    final BulkTransport clientTransport;
    final BulkServer server;
    final BulkConnector connector;

    Loopback(BulkOptions options, BulkHandler handler) throws Exception {
        this(options, options, Epoll.isAvailable(), handler);
    }

    Loopback(BulkOptions serverOptions, BulkOptions clientOptions, boolean epoll, BulkHandler handler)
            throws Exception {
        this(serverOptions, clientOptions, epoll, new Certificates(Optional.empty(), Optional.empty()), handler);
    }

    /** The certificates of both sides; empty: plain text. */
    record Certificates(Optional<TlsCredentials> server, Optional<TlsCredentials> client) {}

    Loopback(
            BulkOptions serverOptions,
            BulkOptions clientOptions,
            boolean epoll,
            Certificates certificates,
            BulkHandler handler)
            throws Exception {
        serverTransport =
                new BulkTransport("test-server", 1, serverOptions, certificates.server(), serverMeters, epoll);
        clientTransport =
                new BulkTransport("test-client", 1, clientOptions, certificates.client(), clientMeters, epoll);
        InetSocketAddress listen = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        boolean isClient = certificates
                .server()
                .flatMap(TlsCredentials::identity)
                .filter(identity -> identity.role() == ProcessRole.CLIENT)
                .isPresent();
        server = isClient
                ? BulkServer.bindClient(serverTransport, listen, handler)
                : BulkServer.bind(serverTransport, listen, "server", handler);
        connector = BulkConnector.ofClient(clientTransport);
    }

    InetSocketAddress address() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port());
    }

    BulkConnection connect() throws Exception {
        return connect((stream, request) -> {
            throw new AssertionError("nobody opens streams to the client");
        });
    }

    BulkConnection connect(BulkHandler handler) throws Exception {
        return connector.connect(address(), handler).get(10, TimeUnit.SECONDS);
    }

    /** Violations of this kind that the server has counted. */
    double violations(BulkViolation kind) {
        var counter = serverMeters
                .find(BulkMetrics.VIOLATIONS)
                .tag(BulkMetrics.KIND, kind.tag())
                .counter();
        return counter == null ? 0 : counter.count();
    }

    double violations() {
        return serverMeters.find(BulkMetrics.VIOLATIONS).counters().stream()
                .mapToDouble(counter -> counter.count())
                .sum();
    }

    static long usedBuffers(PooledByteBufAllocator allocator) {
        return allocator.metric().directArenas().stream()
                .mapToLong(PoolArenaMetric::numActiveAllocations)
                .sum();
    }

    @Override
    public void close() {
        clientTransport.close();
        serverTransport.close();
        // The threads' caches return their buffers as the threads end.
        await().untilAsserted(() -> assertThat(
                        usedBuffers(clientTransport.allocator()) + usedBuffers(serverTransport.allocator()))
                .as("buffers that nobody released")
                .isZero());
    }
}
