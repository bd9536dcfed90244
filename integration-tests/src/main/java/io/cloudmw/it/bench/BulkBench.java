package io.cloudmw.it.bench;

import com.sun.management.OperatingSystemMXBean;
import io.cloudmw.core.bulk.BulkConnection;
import io.cloudmw.core.bulk.BulkConnector;
import io.cloudmw.core.bulk.BulkOptions;
import io.cloudmw.core.bulk.BulkServer;
import io.cloudmw.core.bulk.BulkStream;
import io.cloudmw.core.bulk.BulkStreamListener;
import io.cloudmw.core.bulk.BulkTransport;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.time.Ticker;
import io.cloudmw.core.tls.TlsCredentials;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.zip.CRC32C;

/**
 * A benchmark of the bulk plane on the loopback: sends a file from the page cache, verifies each frame and drops it.
 * Both ends run in this process; the CPU time covers both.
 *
 * <p>Arguments: GiB per round (4), rounds (5), frame bytes (262144), {@code regions}, {@code copies} or
 * {@code tls}.
 */
public final class BulkBench {
    private static final long FILE_BYTES = 256L << 20;
    private static final long WINDOW_BYTES = 8L << 20;
    private static final double GIB = 1L << 30;
    private static final double NANOS = 1e9;

    private final PrintStream out;
    private final int frameBytes;
    private final long totalBytes;

    private BulkBench(PrintStream out, int frameBytes, long totalBytes) {
        this.out = out;
        this.frameBytes = frameBytes;
        this.totalBytes = totalBytes;
    }

    /** Runs the benchmark. */
    @SuppressWarnings("SystemOut") // a command
    public static void main(String... args) throws Exception {
        long gib = args.length > 0 ? Long.parseLong(args[0]) : 4;
        int rounds = args.length > 1 ? Integer.parseInt(args[1]) : 5;
        int frameBytes = args.length > 2 ? Integer.parseInt(args[2]) : 256 << 10;
        String way = args.length < 4 ? "regions" : args[3];
        new BulkBench(System.out, frameBytes, gib << 30).run(rounds, way.equals("regions"), way.equals("tls"));
    }

    private void run(int rounds, boolean regions, boolean encrypts) throws Exception {
        BenchCertificates certificates = new BenchCertificates();
        Optional<TlsCredentials> sender = encrypts ? certificates.helper("sender") : Optional.empty();
        Optional<TlsCredentials> receiver = encrypts ? certificates.helper("receiver") : Optional.empty();
        Path path = Files.createTempFile("cloudmw-bulk-bench", ".bin");
        try {
            int[] crcs = fill(path);
            BulkOptions options = BulkOptions.defaults().withFileRegions(regions);
            try (FileChannel file = FileChannel.open(path);
                    BulkTransport sending =
                            new BulkTransport("sending", 1, options, sender, new SimpleMeterRegistry());
                    BulkTransport receiving =
                            new BulkTransport("receiving", 1, options, receiver, new SimpleMeterRegistry());
                    BulkServer server = BulkServer.bind(
                            sending,
                            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                            "sender",
                            (stream, request) -> new Source(stream, file, crcs));
                    BulkConnection connection = new BulkConnector(receiving, "receiver")
                            .connect(
                                    new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port()),
                                    BulkBench::refuse)
                            .join()) {
                measure(rounds, connection);
            }
        } finally {
            Files.delete(path);
        }
    }

    private static BulkStreamListener refuse(BulkStream stream, byte[] request) {
        throw new IllegalStateException("nobody opens streams here");
    }

    private void measure(int rounds, BulkConnection connection) {
        OperatingSystemMXBean system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
        List<Double> cpu = new ArrayList<>();
        List<Double> rate = new ArrayList<>();
        for (int round = -1; round < rounds; round++) {
            long startedNanos = Ticker.system().nanos();
            long startedCpu = system.getProcessCpuTime();
            Drain drain = new Drain();
            drain.start(connection.open(new byte[0], drain));
            drain.done.join();
            double seconds = (Ticker.system().nanos() - startedNanos) / NANOS;
            double cpuSeconds = (system.getProcessCpuTime() - startedCpu) / NANOS;
            if (round >= 0) {
                cpu.add(cpuSeconds / (totalBytes / GIB));
                rate.add(totalBytes / GIB / seconds);
                out.printf("round %d: %.3f CPU-s/GiB, %.2f GiB/s%n", round, cpu.get(round), rate.get(round));
            }
        }
        Collections.sort(cpu);
        Collections.sort(rate);
        out.printf("median: %.3f CPU-s/GiB both ends, %.2f GiB/s%n", cpu.get(rounds / 2), rate.get(rounds / 2));
    }

    private int[] fill(Path path) throws IOException {
        int[] crcs = new int[(int) (FILE_BYTES / frameBytes)];
        SplittableRandom random = new SplittableRandom(1);
        byte[] bytes = new byte[frameBytes];
        CRC32C crc = new CRC32C();
        try (FileChannel file = FileChannel.open(path, StandardOpenOption.WRITE)) {
            for (int i = 0; i < crcs.length; i++) {
                random.nextBytes(bytes);
                crc.reset();
                crc.update(bytes);
                crcs[i] = (int) crc.getValue();
                ByteBuffer buffer = ByteBuffer.wrap(bytes);
                while (buffer.hasRemaining()) {
                    file.write(buffer);
                }
            }
        }
        return crcs;
    }

    /** The sender, which sends the file repeatedly. */
    private final class Source implements BulkStreamListener {
        private final BulkStream stream;
        private final FileChannel file;
        private final int[] crcs;
        private long sent;

        Source(BulkStream stream, FileChannel file, int[] crcs) {
            this.stream = stream;
            this.file = file;
            this.crcs = crcs;
        }

        @Override
        public void granted() {
            while (sent < totalBytes && stream.credit() >= frameBytes) {
                int index = (int) (sent / frameBytes % crcs.length);
                stream.send(file, (long) index * frameBytes, frameBytes, crcs[index]);
                sent += frameBytes;
                if (sent >= totalBytes) {
                    stream.end(new byte[0]);
                }
            }
        }

        @Override
        public void data(ByteBuf payload, int crc32c) {
            payload.release();
        }

        @Override
        public void ended(byte[] trailer) {}

        @Override
        public void failed(CloudMwException cause) {}
    }

    /** The receiver, which drops bytes and grants as much credit again. */
    private static final class Drain implements BulkStreamListener {
        private final CompletableFuture<Void> done = new CompletableFuture<>();
        private final CompletableFuture<BulkStream> opened = new CompletableFuture<>();
        private long taken;

        void start(BulkStream stream) {
            opened.complete(stream);
            stream.grant(WINDOW_BYTES);
        }

        @Override
        public void data(ByteBuf payload, int crc32c) {
            taken += payload.readableBytes();
            payload.release();
            if (taken >= WINDOW_BYTES / 4) {
                opened.join().grant(taken);
                taken = 0;
            }
        }

        @Override
        public void ended(byte[] trailer) {
            opened.join().end(new byte[0]);
            done.complete(null);
        }

        @Override
        public void granted() {}

        @Override
        public void failed(CloudMwException cause) {
            done.completeExceptionally(cause);
        }
    }
}
