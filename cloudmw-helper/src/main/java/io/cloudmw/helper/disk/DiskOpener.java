package io.cloudmw.helper.disk;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.Reasons;
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
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The opener of a helper's disks. A directory that is missing is created when the one above it exists, and the log says
 * so; a path whose parent is missing is taken for a mistake.
 */
public final class DiskOpener {
    private static final Logger LOG = LoggerFactory.getLogger(DiskOpener.class);

    /** The decorator of a disk, for demonstrations and tests. */
    @FunctionalInterface
    public interface Decorator {
        /**
         * Decorates a disk when it is opened.
         *
         * @param config has the law of a disk that is to be slow
         * @return the same disk or one around it, which closes it
         */
        ChunkStore apply(ChunkStore disk, DiskConfig config);

        /**
         * The directory that the helper announces. Clients of the same machine read it by themselves when no helper
         * can, and leave the disk alone where the directory does not exist.
         */
        default Path announced(DiskConfig config) {
            return config.path().toAbsolutePath();
        }
    }

    private DiskOpener() {}

    /** A decorator that delays the reads of a disk that has a law. */
    public static Decorator throttling() {
        return (disk, config) -> config.throttle()
                .<ChunkStore>map(law -> new ThrottledChunkStore(disk, law, Ticker.system(), Sleeper.system()))
                .orElse(disk);
    }

    /**
     * Opens all disks or none.
     *
     * @throws CloudMwException when a disk cannot be opened
     */
    public static OwnDisks open(HelperId owner, List<DiskConfig> configs, Decorator decorator, MeterRegistry meters)
            throws CloudMwException {
        List<OwnDisk> disks = new ArrayList<>();
        try {
            for (DiskConfig config : configs) {
                disks.add(open(owner, config, decorator, meters));
            }
        } catch (CloudMwException e) {
            disks.forEach(disk -> disk.chunks().close());
            throw e;
        }
        return new OwnDisks(disks);
    }

    private static OwnDisk open(HelperId owner, DiskConfig config, Decorator decorator, MeterRegistry meters)
            throws CloudMwException {
        Store store =
                new Store(config.id(), config.failureDomain(), new Store.Disk(owner, decorator.announced(config)));
        createIfMissing(config);
        DiskChunkStore disk =
                DiskChunkStore.attach(config.id(), config.path(), config.reserveBytes(), FreeSpace.system());
        DiskIdentity identity = disk.identity();
        return new OwnDisk(
                store,
                new MeteredChunkStore(decorator.apply(disk, config), meters, Ticker.system()),
                usage(disk),
                admission(store, identity, config.replaces()));
    }

    private static void createIfMissing(DiskConfig config) throws CloudMwException {
        Path path = config.path().toAbsolutePath();
        if (Files.exists(path)) {
            return;
        }
        try {
            Files.createDirectory(path);
            LOG.info("disk {}: there was no directory {}; created it, for an empty disk", config.id(), path);
        } catch (FileAlreadyExistsException e) {
            LOG.debug("disk {}: another process created {}", config.id(), path);
        } catch (NoSuchFileException e) {
            throw new CloudMwException(
                    ErrorCode.STORE_UNAVAILABLE,
                    "disk " + config.id() + ": there is neither a directory " + path + " nor " + path.getParent()
                            + " (is the path right, and the disk mounted? Only the last directory is created)",
                    e);
        } catch (IOException e) {
            throw new CloudMwException(
                    ErrorCode.STORE_UNAVAILABLE,
                    "disk " + config.id() + ": directory " + path + " cannot be created: " + Reasons.of(e),
                    e);
        }
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
