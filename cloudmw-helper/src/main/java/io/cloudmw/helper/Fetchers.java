package io.cloudmw.helper;

import io.cloudmw.core.cache.disk.DiskCache;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.Reasons;
import io.cloudmw.core.memory.ByteBudget;
import io.cloudmw.core.metrics.CacheMetrics;
import io.cloudmw.core.metrics.SwitchMetrics;
import io.cloudmw.core.model.volume.VolumeSet;
import io.cloudmw.core.schedule.FairPool;
import io.cloudmw.core.schedule.ScheduleLimits;
import io.cloudmw.core.time.Ticker;
import io.cloudmw.helper.block.LeafMemory;
import io.cloudmw.helper.block.Spool;
import io.cloudmw.helper.cache.LeafCache;
import io.cloudmw.helper.config.HelperConfig;
import io.cloudmw.helper.disk.OwnDisks;
import io.cloudmw.helper.fetch.BlockFetcher;
import io.cloudmw.helper.fetch.Reclaimer;
import io.cloudmw.helper.fetch.StoreFetcher;
import io.cloudmw.helper.switching.SharedFetcher;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.LongConsumer;

/**
 * The fetchers of a helper, with the spool and the threads that they share.
 *
 * @param pool runs attempts at stores, and upkeep in their turn
 * @param stores fetches from stores
 * @param cached fetches each block once for all readers, and caches it; empty when this helper is no switch
 */
record Fetchers(
        Reclaimer reclaimer,
        Spool spool,
        FairPool pool,
        StoreFetcher stores,
        Optional<SharedFetcher> cached,
        SwitchMetrics switchMeters) {
    /**
     * Opens the spool, the threads and, for a switch, the cache.
     *
     * @param disks disks of this helper, whose chunks are not cached
     * @param reclaimed hears how many bytes of idle readers were reclaimed
     * @throws CloudMwException {@code LOCAL_IO} when a directory cannot be used; {@code ALREADY_EXISTS} when another
     *     process has it
     */
    static Fetchers open(HelperContext context, OwnDisks disks, LongConsumer reclaimed) throws IOException {
        HelperConfig.Limits limits = context.limits();
        ResourceStack resources = context.resources();
        Reclaimer reclaimer = new Reclaimer(limits.fetch().relayIdle().toNanos(), Ticker.system(), reclaimed);
        Spool spool = resources.opened(in(
                "helper.spool.dir",
                limits.buffers().spoolDirectory(),
                path -> Spool.open(path, new ByteBudget(limits.buffers().spoolBytes(), reclaimer.relief()))));
        FairPool pool = context.fairPool(
                "fetch", limits.fetch().threads(), limits.fetch().schedule());
        FairPool extra = context.fairPool(
                "fetch-extra",
                limits.fetch().extraThreads(),
                uncapped(limits.fetch().schedule()));
        StoreFetcher stores = resources.opened(new StoreFetcher(
                new StoreFetcher.Pools(pool, extra),
                new StoreFetcher.Limits(
                        limits.buffers().memoryBlockBytes(),
                        limits.fetch().longestWait().toNanos()),
                new ByteBudget(limits.buffers().memoryBytes(), reclaimer.relief()),
                spool,
                context.transport().allocator()));
        SwitchMetrics switchMeters = new SwitchMetrics(context.meters());
        LeafMemory allocator = new LeafMemory(
                new ByteBudget(context.config().switching().memoryBytes(), reclaimer.relief()),
                spool,
                context.transport().allocator(),
                limits.fetch().longestWait().toNanos());
        Optional<LeafCache> cache = cache(context, allocator);
        Optional<SharedFetcher> cached = cache.map(opened -> new SharedFetcher(
                stores, opened, switchMeters, store -> disks.find(store).isPresent()));
        return new Fetchers(reclaimer, spool, pool, stores, cached, switchMeters);
    }

    /** The fetcher for blocks that several readers may want: through the cache when there is one. */
    BlockFetcher shared() {
        return cached.<BlockFetcher>map(fetcher -> fetcher).orElse(stores);
    }

    /** Destinations bound how many extra attempts they ask for. */
    private static ScheduleLimits uncapped(ScheduleLimits limits) {
        return ScheduleLimits.uncapped(limits.queue(), limits.clientQueue());
    }

    /** Opens the cache of a switch; empty when this helper is no switch. */
    private static Optional<LeafCache> cache(HelperContext context, LeafMemory allocator) throws IOException {
        HelperConfig.Switching switching = context.config().switching();
        if (switching.volumes().equals(VolumeSet.NONE)) {
            return Optional.empty();
        }
        CacheMetrics meters = new CacheMetrics(context.meters());
        Optional<DiskCache> disk = switching.disk().isPresent()
                ? Optional.of(in(
                        "helper.cache.disk.dir",
                        switching.disk().get(),
                        path -> DiskCache.open(path, switching.diskBytes(), meters)))
                : Optional.empty();
        return Optional.of(context.resources().opened(new LeafCache(allocator, disk, meters)));
    }

    @FunctionalInterface
    private interface Opening<T> {
        T open(Path directory) throws IOException;
    }

    /** Opens a directory; a failure names the directory and its setting. */
    private static <T> T in(String setting, Path directory, Opening<T> opening) throws IOException {
        try {
            return opening.open(directory);
        } catch (CloudMwException e) {
            throw e;
        } catch (IOException e) {
            String why = e instanceof FileAlreadyExistsException ? "no directory" : Reasons.of(e);
            throw new CloudMwException(ErrorCode.LOCAL_IO, setting + ": " + directory + ": " + why, e);
        }
    }
}
