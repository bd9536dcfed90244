package io.cloudmw.it.bench;

import io.cloudmw.client.CloudMw;
import io.cloudmw.client.PutOptions;
import io.cloudmw.client.file.RemoteFile;
import io.cloudmw.core.bulk.BulkConnection;
import io.cloudmw.core.bulk.BulkConnector;
import io.cloudmw.core.bulk.BulkOptions;
import io.cloudmw.core.bulk.BulkTransport;
import io.cloudmw.core.config.HostPort;
import io.cloudmw.core.config.HostPorts;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.Mode;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.volume.Chunking;
import io.cloudmw.core.model.volume.Volume;
import io.cloudmw.core.rpc.EnrolmentCall;
import io.cloudmw.core.security.TokenFile;
import io.cloudmw.core.tls.TlsCredentials;
import io.cloudmw.lab.fleet.LocalFleet;
import io.cloudmw.lab.fleet.ServerProcess;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.ByteArrayInputStream;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A benchmark of many clients that connect to one helper under TLS at once, beside a client that reads 1 KiB of an open
 * file again and again. Prints how long the connections took, how many were refused, and the reader's percentiles before
 * and meanwhile. The helper has a heap of 256 MB; clients, coordinator and helper share this machine.
 *
 * <p>Arguments: {@code <launcher> <work directory> <connections> <handshakes at a time>}.
 */
public final class ConnectionBurstBench {
    private static final VolumeName VOLUME = new VolumeName("leaves");
    private static final FilePath FILE = new FilePath(VOLUME, "/large");
    private static final int FILE_BYTES = 64 << 20;
    private static final int READ_BYTES = 1 << 10;
    private static final int WARM_UP_READS = 20_000;
    private static final int READS = 10_000;

    private ConnectionBurstBench() {}

    /** Runs the benchmark. */
    public static void main(String... args) throws Exception {
        Path directory = Files.createDirectories(Path.of(args[1])).toAbsolutePath();
        try (LocalFleet fleet = new LocalFleet(
                directory.resolve("fleet"),
                Path.of(args[0]).toAbsolutePath(),
                Map.of(
                        "CLOUDMW_TLS_INSECURE",
                        "false",
                        "CLOUDMW_JAVA_OPTS",
                        "-Xmx256m -XX:MaxDirectMemorySize=256m"))) {
            fleet.startCoordinator(Map.of());
            ServerProcess helper = fleet.startHelper("helper-1", fleet.disk("disk-1"));
            try (CloudMw client = CloudMw.connect(fleet.clientOptions())) {
                client.volumes()
                        .create(new Volume(
                                VOLUME,
                                new Chunking.BySize(FILE_BYTES, 16 << 10),
                                1,
                                List.of(new StoreId("disk-1")),
                                1,
                                Mode.DEFAULT,
                                false,
                                0))
                        .join();
                byte[] bytes = new byte[FILE_BYTES];
                new SplittableRandom(1).nextBytes(bytes);
                client.files()
                        .put(new ByteArrayInputStream(bytes), FILE, PutOptions.defaults())
                        .join();
                TlsCredentials credentials = new TlsCredentials(EnrolmentCall.client(
                        HostPorts.parse(fleet.coordinatorAddress()), TokenFile.read(fleet.tokenFile()), List.of()));
                measure(
                        client,
                        credentials,
                        HostPort.parse(helper.ready().path("bulk").asText()),
                        Integer.parseInt(args[2]),
                        new Semaphore(Integer.parseInt(args[3])));
            }
        }
        System.exit(0);
    }

    private static void measure(
            CloudMw client, TlsCredentials credentials, HostPort address, int connections, Semaphore handshakes)
            throws Exception {
        try (RemoteFile open = client.files().open(FILE).join();
                BulkTransport transport = new BulkTransport(
                        "burst", 1, BulkOptions.defaults(), Optional.of(credentials), new SimpleMeterRegistry())) {
            Reader reader = new Reader(open);
            String unused = reader.percentiles(count -> count < WARM_UP_READS);
            System.out.println("reader before: " + reader.percentiles(count -> count < READS));
            AtomicInteger left = new AtomicInteger(connections);
            AtomicInteger refused = new AtomicInteger();
            Queue<BulkConnection> connected = new ConcurrentLinkedQueue<>();
            long startNanos = System.nanoTime();
            long[] endNanos = new long[1];
            Thread burst = new Thread(() -> {
                BulkConnector connector = new BulkConnector(transport, "burst");
                InetSocketAddress to = new InetSocketAddress(address.host(), address.port());
                for (int i = 0; i < connections; i++) {
                    handshakes.acquireUninterruptibly();
                    var unusedDone = connector
                            .connect(to, (stream, request) -> {
                                throw new IllegalStateException("nobody opens streams here");
                            })
                            .whenComplete((made, failure) -> {
                                handshakes.release();
                                if (made == null) {
                                    refused.incrementAndGet();
                                } else {
                                    connected.add(made);
                                }
                                if (left.decrementAndGet() == 0) {
                                    endNanos[0] = System.nanoTime();
                                }
                            });
                }
            });
            burst.start();
            System.out.println("reader meanwhile: " + reader.percentiles(count -> left.get() > 0));
            burst.join();
            System.out.printf(
                    Locale.ROOT,
                    "%d connections in %.1f s, %d refused, %d open%n",
                    connections,
                    (endNanos[0] - startNanos) / (double) TimeUnit.SECONDS.toNanos(1),
                    refused.get(),
                    connected.size());
            System.out.println("reader beside them: " + reader.percentiles(count -> count < READS));
        }
    }

    /** The end of a series of reads. */
    private interface SeriesEnd {
        boolean goesOnAfter(int count);
    }

    /** A client that reads at random places, one read at a time. */
    private static final class Reader {
        private final RemoteFile open;
        private final SplittableRandom places = new SplittableRandom(2);
        private final ByteBuffer target = ByteBuffer.allocateDirect(READ_BYTES);

        Reader(RemoteFile open) {
            this.open = open;
        }

        String percentiles(SeriesEnd end) {
            double[] millis = new double[1024];
            int count = 0;
            while (end.goesOnAfter(count)) {
                if (count == millis.length) {
                    millis = Arrays.copyOf(millis, 2 * count);
                }
                target.clear();
                long start = System.nanoTime();
                open.read(target, places.nextLong(FILE_BYTES / READ_BYTES) * READ_BYTES)
                        .join();
                millis[count++] = (System.nanoTime() - start) / 1e6;
            }
            double[] sorted = Arrays.copyOf(millis, count);
            Arrays.sort(sorted);
            return count == 0
                    ? "no read"
                    : String.format(
                            Locale.ROOT,
                            "%d reads, p50 %.3f ms, p99 %.3f ms, slowest %.1f ms",
                            count,
                            sorted[count / 2],
                            sorted[(int) (count * 0.99)],
                            sorted[count - 1]);
        }
    }
}
