package io.cloudmw.it.bench;

import com.google.protobuf.BytesValue;
import com.google.protobuf.Empty;
import com.google.protobuf.UnsafeByteOperations;
import com.sun.management.OperatingSystemMXBean;
import io.cloudmw.core.audit.RefusalTrail;
import io.cloudmw.core.config.HostPort;
import io.cloudmw.core.rpc.RpcChannels;
import io.cloudmw.core.rpc.RpcServers;
import io.cloudmw.core.time.Ticker;
import io.cloudmw.core.tls.TlsCredentials;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.protobuf.ProtoUtils;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.zip.CRC32C;

/**
 * A benchmark to compare {@link BulkBench} with: the same bytes as messages of one gRPC stream on the loopback, verified
 * and dropped. Both ends run in this process; the CPU time covers both.
 *
 * <p>Arguments: GiB per round (4), rounds (5), message bytes (262144), {@code plain} or {@code tls}.
 */
public final class GrpcStreamBench {
    private static final int MESSAGES = 1024;
    private static final double GIB = 1L << 30;
    private static final double NANOS = 1e9;
    private static final MethodDescriptor<Empty, BytesValue> METHOD = MethodDescriptor.<Empty, BytesValue>newBuilder()
            .setType(MethodDescriptor.MethodType.SERVER_STREAMING)
            .setFullMethodName("bench.Stream/Read")
            .setRequestMarshaller(ProtoUtils.marshaller(Empty.getDefaultInstance()))
            .setResponseMarshaller(ProtoUtils.marshaller(BytesValue.getDefaultInstance()))
            .build();

    private final List<BytesValue> messages = new ArrayList<>();
    private final int[] crcs = new int[MESSAGES];
    private final long count;
    private final int messageBytes;

    private GrpcStreamBench(long totalBytes, int messageBytes) {
        this.count = totalBytes / messageBytes;
        this.messageBytes = messageBytes;
        SplittableRandom random = new SplittableRandom(1);
        for (int i = 0; i < MESSAGES; i++) {
            byte[] bytes = new byte[messageBytes];
            random.nextBytes(bytes);
            crcs[i] = crc(bytes);
            messages.add(BytesValue.of(UnsafeByteOperations.unsafeWrap(bytes)));
        }
    }

    private static int crc(byte[] bytes) {
        CRC32C crc = new CRC32C();
        crc.update(bytes);
        return (int) crc.getValue();
    }

    /** Runs the benchmark. */
    @SuppressWarnings("SystemOut") // a command
    public static void main(String... args) throws Exception {
        long gib = args.length > 0 ? Long.parseLong(args[0]) : 4;
        int rounds = args.length > 1 ? Integer.parseInt(args[1]) : 5;
        int messageBytes = args.length > 2 ? Integer.parseInt(args[2]) : 256 << 10;
        boolean encrypts = args.length > 3 && args[3].equals("tls");
        new GrpcStreamBench(gib << 30, messageBytes).run(System.out, rounds, encrypts);
    }

    private void run(PrintStream out, int rounds, boolean encrypts) throws Exception {
        BenchCertificates certificates = new BenchCertificates();
        Optional<TlsCredentials> sender = encrypts ? certificates.helper("sender") : Optional.empty();
        Optional<TlsCredentials> receiver = encrypts ? certificates.helper("receiver") : Optional.empty();
        ExecutorService threads = Executors.newFixedThreadPool(2);
        Server server = RpcServers.at(
                        new HostPort("127.0.0.1", 0), sender, 16, List.of(), new RefusalTrail(Ticker.system()))
                .executor(threads)
                .addService(ServerServiceDefinition.builder("bench.Stream")
                        .addMethod(METHOD, ServerCalls.asyncServerStreamingCall(this::send))
                        .build())
                .build()
                .start();
        ManagedChannel channel = new RpcChannels(receiver)
                .toHelper("127.0.0.1:" + server.getPort())
                .maxInboundMessageSize(2 * messageBytes)
                .executor(threads)
                .build();
        try {
            measure(out, rounds, channel);
        } finally {
            channel.shutdownNow();
            server.shutdownNow();
            threads.shutdownNow();
        }
    }

    private void send(Empty request, StreamObserver<BytesValue> observer) {
        ServerCallStreamObserver<BytesValue> stream = (ServerCallStreamObserver<BytesValue>) observer;
        long[] sent = new long[1];
        stream.setOnReadyHandler(() -> {
            while (stream.isReady() && sent[0] < count) {
                stream.onNext(messages.get((int) (sent[0]++ % MESSAGES)));
                if (sent[0] == count) {
                    stream.onCompleted();
                }
            }
        });
    }

    private void measure(PrintStream out, int rounds, ManagedChannel channel) {
        OperatingSystemMXBean system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
        double gib = (double) count * messageBytes / GIB;
        List<Double> cpu = new ArrayList<>();
        List<Double> rate = new ArrayList<>();
        for (int round = -1; round < rounds; round++) {
            long startedNanos = Ticker.system().nanos();
            long startedCpu = system.getProcessCpuTime();
            Iterator<BytesValue> stream = ClientCalls.blockingServerStreamingCall(
                    channel, METHOD, CallOptions.DEFAULT, Empty.getDefaultInstance());
            long received = 0;
            while (stream.hasNext()) {
                CRC32C crc = new CRC32C();
                crc.update(stream.next().getValue().asReadOnlyByteBuffer());
                if ((int) crc.getValue() != crcs[(int) (received++ % MESSAGES)]) {
                    throw new IllegalStateException("message " + received + " is wrong");
                }
            }
            if (received != count) {
                throw new IllegalStateException(received + " messages (expected: " + count + ")");
            }
            if (round >= 0) {
                cpu.add((system.getProcessCpuTime() - startedCpu) / NANOS / gib);
                rate.add(gib / ((Ticker.system().nanos() - startedNanos) / NANOS));
                out.printf("round %d: %.3f CPU-s/GiB, %.2f GiB/s%n", round, cpu.get(round), rate.get(round));
            }
        }
        Collections.sort(cpu);
        Collections.sort(rate);
        out.printf("median: %.3f CPU-s/GiB both ends, %.2f GiB/s%n", cpu.get(rounds / 2), rate.get(rounds / 2));
    }
}
