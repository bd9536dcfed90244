package io.cloudmw.helper.disk;

import io.cloudmw.core.emulation.StoreLaw;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.identity.DiskClaim;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.store.ChunkStore;
import io.cloudmw.core.store.MeteredChunkStore;
import io.cloudmw.core.store.ThrottledChunkStore;
import io.cloudmw.core.store.disk.DiskChunkStore;
import io.cloudmw.core.store.disk.DiskIdentity;
import io.cloudmw.core.store.disk.FreeSpace;
import io.cloudmw.core.time.Sleeper;
import io.cloudmw.core.time.Ticker;
import io.cloudmw.helper.config.DiskConfig;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** The opener of a helper's disks. */
public final class DiskOpener {
    /** Slows a store down, for demonstrations. */
    @FunctionalInterface
    public interface Throttle {
        ChunkStore apply(ChunkStore store, StoreLaw law);
    }

    private DiskOpener() {}

    /** A throttle that delays reads and puts by the law. */
    public static Throttle throttling() {
        return (store, law) -> new ThrottledChunkStore(store, law, Ticker.system(), Sleeper.system());
    }

    /**
     * Opens all disks or none.
     *
     * @throws CloudMwException when a disk cannot be opened
     */
    public static OwnDisks open(HelperId owner, List<DiskConfig> configs, Throttle throttle, MeterRegistry meters)
            throws CloudMwException {
        List<OwnDisk> disks = new ArrayList<>();
        try {
            for (DiskConfig config : configs) {
                disks.add(open(owner, config, throttle, meters));
            }
        } catch (CloudMwException e) {
            disks.forEach(disk -> disk.chunks().close());
            throw e;
        }
        return new OwnDisks(disks);
    }

    private static OwnDisk open(HelperId owner, DiskConfig config, Throttle throttle, MeterRegistry meters)
            throws CloudMwException {
        Store store = new Store(
                config.id(),
                config.failureDomain(),
                new Store.Disk(owner, config.path().toAbsolutePath()));
        DiskChunkStore disk =
                DiskChunkStore.attach(config.id(), config.path(), config.reserveBytes(), FreeSpace.system());
        DiskIdentity identity = disk.identity();
        ChunkStore chunks = disk;
        if (config.throttle().isPresent()) {
            chunks = throttle.apply(disk, config.throttle().get());
        }
        return new OwnDisk(
                store,
                new MeteredChunkStore(chunks, meters, Ticker.system()),
                usage(disk),
                admission(store, identity, config.replaces()));
    }

    private static OwnDisk.Usage usage(DiskChunkStore disk) {
        return new OwnDisk.Usage() {
            @Override
            public long usedBytes() throws IOException {
                return disk.usedBytes();
            }

            @Override
            public long freeBytes() throws IOException {
                return disk.freeBytes();
            }

            @Override
            public long reserveBytes() throws IOException {
                return disk.reserveBytes();
            }
        };
    }

    private static OwnDisk.Admission admission(Store store, DiskIdentity identity, boolean replaces) {
        return new OwnDisk.Admission() {
            @Override
            public DiskClaim claim() {
                return new DiskClaim(store.with(identity.identity()), identity.isEmpty(), replaces);
            }

            @Override
            public void accepted(String cluster) throws CloudMwException {
                identity.accepted(cluster);
            }
        };
    }
}
