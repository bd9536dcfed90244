package io.cloudmw.lab.race;

import io.cloudmw.core.emulation.StorePace;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.time.Ticker;
import io.cloudmw.lab.s3.BucketServer;
import io.cloudmw.lab.s3.ShapedStore;
import io.cloudmw.lab.s3.ShapingProxy;
import io.cloudmw.lab.s3.Traffic;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** S3 buckets behind the shaping proxy: each store is one of its ports. Used by one thread, closed by any. */
final class EmulatedStores implements AutoCloseable {
    private static final String REGION = "us-east-1";

    private final LabSettings settings;
    private final @Nullable BucketServer server;
    private final ShapingProxy proxy;
    private final List<ShapedStore> shaped = new ArrayList<>();
    private final String unique = UUID.randomUUID().toString().substring(0, 8);

    /**
     * @param endpoint of S3; empty: an endpoint of its own
     * @param directory for the objects of its own endpoint
     */
    EmulatedStores(LabSettings settings, Optional<String> endpoint, Path directory) throws IOException {
        this.settings = settings;
        server = endpoint.isPresent() ? null : new BucketServer(directory, InetAddress.getLoopbackAddress());
        try {
            proxy = new ShapingProxy(endpoint.orElseGet(() -> server == null ? "" : server.endpoint()));
        } catch (IllegalArgumentException e) {
            if (server != null) {
                server.close();
            }
            throw e;
        }
        for (int i = 0; i < settings.layout().replicas(); i++) {
            shaped.add(proxy.listen());
        }
    }

    /** What the cluster is told: one bucket at each port. */
    List<Store> stores() {
        List<Store> stores = new ArrayList<>();
        for (int i = 0; i < shaped.size(); i++) {
            String name = "store-" + (i + 1);
            stores.add(new Store(new StoreId(name), name, new Store.S3(bucket(i), REGION, endpoint(i), true, "")));
        }
        return stores;
    }

    String endpoint(int store) {
        return shaped.get(store).endpoint();
    }

    /** Its name is new every time: a given endpoint may have been used before. */
    String bucket(int store) {
        return "cloudmw-lab-" + unique + "-" + (store + 1);
    }

    /** @param capped whether all connections together get what the destination takes, and no more */
    void begin(int run, boolean capped) {
        Optional<StorePace> link =
                capped ? settings.destination().map(law -> new StorePace(law, Ticker.system())) : Optional.empty();
        for (int i = 0; i < shaped.size(); i++) {
            List<StorePace> paces = new ArrayList<>();
            settings.law(run, i).ifPresent(law -> paces.add(new StorePace(law, Ticker.system())));
            link.ifPresent(paces::add);
            paces.forEach(StorePace::elapsedNanos);
            shaped.get(i).begin(paces);
        }
    }

    void beginUnshaped() {
        shaped.forEach(store -> store.begin(List.of()));
    }

    /**
     * What crossed since the run began.
     *
     * @throws IllegalStateException when the lab itself failed: it was not the stores' laws alone that decided
     */
    Traffic end() {
        if (server != null) {
            server.check();
        }
        return shaped.stream().map(ShapedStore::end).reduce(Traffic.NOTHING, Traffic::plus);
    }

    @Override
    public void close() {
        proxy.close();
        if (server != null) {
            server.close();
        }
    }
}
