package io.cloudmw.coordinator.page;

import java.util.List;

/**
 * A cluster at one moment, as the web page shows it.
 *
 * @param atMillis the coordinator's clock
 * @param version the coordinator's version
 * @param speedsAgeMillis age of the speeds and distributions; those of large fleets are not computed every second
 * @param storesAgeMillis age of what the catalog says about stores and volumes
 * @param helpers all that are known, alive or not, by id
 * @param stores all of the catalog, by id
 * @param volumes by name
 * @param reads the recorded ones, the latest first
 */
public record ShownCluster(
        long atMillis,
        String version,
        long speedsAgeMillis,
        long storesAgeMillis,
        Totals totals,
        List<ShownHelper> helpers,
        List<ShownStore> stores,
        List<ShownVolume> volumes,
        ShownUpkeep upkeep,
        List<ShownRead> reads) {
    public ShownCluster {
        helpers = List.copyOf(helpers);
        stores = List.copyOf(stores);
        volumes = List.copyOf(volumes);
        reads = List.copyOf(reads);
    }

    /**
     * Sums over the fleet.
     *
     * @param transfers under way at live helpers; a transfer counts at each helper that takes part in it
     * @param readsPerSecond reads of stores that live helpers began lately
     * @param bytesPerSecond bytes of these
     * @param relayedBytes sent to readers since the start of each helper
     * @param wastedBytes read from stores and not sent to a reader
     */
    public record Totals(
            int helpersAlive,
            int helpersDead,
            int storesAvailable,
            int storesUnavailable,
            long transfers,
            double readsPerSecond,
            long bytesPerSecond,
            long relayedBytes,
            long wastedBytes) {}
}
