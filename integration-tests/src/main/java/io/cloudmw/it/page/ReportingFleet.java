package io.cloudmw.it.page;

import io.cloudmw.core.config.HostPort;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.monitor.Speed;
import io.cloudmw.core.monitor.sketch.CensoredSketch;
import io.cloudmw.core.monitor.sketch.Sketch;
import io.cloudmw.core.rpc.Membership;
import io.cloudmw.core.rpc.VersionHandshake;
import io.cloudmw.core.security.ClusterSecret;
import io.cloudmw.core.security.MemberProofs;
import io.cloudmw.core.status.fleet.HedgeCounts;
import io.cloudmw.core.status.fleet.HelperActivity;
import io.cloudmw.core.status.fleet.SizeClass;
import io.cloudmw.core.status.fleet.SpeedKey;
import io.cloudmw.core.time.Ticker;
import io.cloudmw.core.time.WallClock;
import io.cloudmw.core.wire.MonitorWire;
import io.cloudmw.proto.v1.CoordinatorGrpc;
import io.cloudmw.proto.v1.DiskStore;
import io.cloudmw.proto.v1.HeartbeatRequest;
import io.cloudmw.proto.v1.Helper;
import io.cloudmw.proto.v1.RegisterHelperRequest;
import io.cloudmw.proto.v1.Store;
import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.stream.LongStream;

/**
 * Helpers that register, report speeds, and do nothing else. The first ones have a disk each, which are the stores.
 * Confined to one thread.
 */
public final class ReportingFleet implements AutoCloseable {
    /** Stores of which each helper reports the speed. */
    private static final int STORES_OF_A_HELPER = 8;

    private static final int SAMPLES = 60;

    private final ManagedChannel channel;
    private final CoordinatorGrpc.CoordinatorBlockingStub coordinator;
    private final int stores;
    private final SplittableRandom random = new SplittableRandom(7);
    private final List<HeartbeatRequest> heartbeats = new ArrayList<>();

    /**
     * Registers the helpers, and sends the first heartbeat of each.
     *
     * @param stores at most as many as there are helpers
     */
    public ReportingFleet(HostPort address, Path secretFile, int helpers, int stores) throws CloudMwException {
        this.stores = stores;
        this.channel = NettyChannelBuilder.forAddress(address.host(), address.port())
                .usePlaintext()
                .build();
        this.coordinator = CoordinatorGrpc.newBlockingStub(channel)
                .withInterceptors(
                        VersionHandshake.client(),
                        Membership.client(new MemberProofs(ClusterSecret.read(secretFile), WallClock.system())));
        for (int i = 1; i <= helpers; i++) {
            HeartbeatRequest heartbeat = registered(i);
            heartbeats.add(heartbeat);
            send(heartbeat);
        }
    }

    /** Returns the name of a store. */
    public static String store(int number) {
        return "store-%03d".formatted(number);
    }

    /** Returns the name of a helper. */
    public static String helper(int number) {
        return "helper-%04d".formatted(number);
    }

    /** The number of helpers. */
    public int helpers() {
        return heartbeats.size();
    }

    private HeartbeatRequest registered(int number) {
        String id = helper(number);
        RegisterHelperRequest.Builder request = RegisterHelperRequest.newBuilder()
                .setHelper(Helper.newBuilder()
                        .setId(id)
                        .setControlAddress("127.0.0.1:" + (1024 + number))
                        .setBulkAddress("127.0.0.1:" + (16_384 + number)));
        if (number <= stores) {
            request.addDisks(Store.newBuilder()
                    .setId(store(number))
                    .setFailureDomain("rack-" + number % 20)
                    .setDisk(DiskStore.newBuilder().setOwner(id).setPath("/data/" + store(number))));
        }
        return HeartbeatRequest.newBuilder()
                .setHelperId(new HelperId(id).value())
                .setEpoch(coordinator.registerHelper(request.build()).getEpoch())
                .addAllSpeeds(MonitorWire.speeds(speeds()))
                .setActivity(MonitorWire.activity(activity()))
                .build();
    }

    private Map<SpeedKey, Speed> speeds() {
        Map<SpeedKey, Speed> speeds = new HashMap<>();
        while (speeds.size() < Math.min(stores, STORES_OF_A_HELPER)) {
            int store = 1 + random.nextInt(stores);
            speeds.put(new SpeedKey(new StoreId(store(store)), SizeClass.MEDIUM), speed(store % 7 == 0 ? 4 : 1));
        }
        return speeds;
    }

    /** Returns the speed of a store that is so many times as slow as others. */
    private Speed speed(int slower) {
        Sketch firstByte = Sketch.ofSamples(LongStream.range(0, SAMPLES)
                .map(i -> Math.round(slower * 8_000 * Math.exp(0.5 * random.nextGaussian())))
                .toArray());
        Sketch rate = Sketch.ofSamples(LongStream.range(0, SAMPLES)
                .map(i -> Math.round(60_000 * Math.exp(0.3 * random.nextGaussian()) / slower))
                .toArray());
        CensoredSketch waits = new CensoredSketch(firstByte, Sketch.EMPTY);
        return new Speed(waits, waits, rate, SAMPLES, Map.of(), 20, 20L << 20);
    }

    private HelperActivity activity() {
        int wins = random.nextInt(5_000);
        return new HelperActivity(
                random.nextInt(4),
                wins + 200L,
                wins,
                180,
                20,
                wins * (8L << 20),
                random.nextInt(200) * (8L << 20),
                new HedgeCounts(100, 60, 10),
                Optional.empty());
    }

    private void send(HeartbeatRequest heartbeat) {
        var unused = coordinator.heartbeat(heartbeat);
    }

    /**
     * Sends a heartbeat of each helper but the first ones, as if those had died.
     *
     * @return when the heartbeat of the first helper that lives was answered, by the system's ticker
     */
    public long beat(int dead) {
        send(heartbeats.get(dead));
        long nanos = Ticker.system().nanos();
        heartbeats.subList(dead + 1, heartbeats.size()).forEach(this::send);
        return nanos;
    }

    @Override
    public void close() {
        channel.shutdownNow();
    }
}
