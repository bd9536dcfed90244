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

/** S3 buckets behind the shaping proxy, one proxy port per store. Used by one thread, closed by any. */
final class EmulatedStores implements AutoCloseable {
    private static final String REGION = "us-east-1";

    private final LabSettings settings;
    private final @Nullable BucketServer server;
    private final ShapingProxy proxy;
    private final List<ShapedStore> shaped = new ArrayList<>();
    private final String unique = UUID.randomUUID().toString().substring(0, 8);

    /**
     * Opens the stores.
     *
     * @param endpoint of S3; empty: the lab starts its own
     * @param directory for the objects of the lab's own endpoint
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

    /** Returns the stores to declare to the cluster: one bucket at each port. */
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

    /** Returns the name of a store's bucket, unique per run, since a given endpoint may have been used before. */
    String bucket(int store) {
        return "cloudmw-lab-" + unique + "-" + (store + 1);
    }

    /**
     * Begins a run.
     *
     * @param capped whether the total speed of all connections is capped at the destination's speed
     */
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
     * Ends the run and returns its traffic.
     *
     * @throws IllegalStateException when the lab's own endpoint failed, so that the measurement is void
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
