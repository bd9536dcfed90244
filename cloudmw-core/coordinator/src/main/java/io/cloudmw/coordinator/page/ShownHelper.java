package io.cloudmw.coordinator.page;

/**
 * A helper on the web page. Counts are since its start.
 *
 * @param location labels with {@code /} between; empty: unknown
 * @param alive whether its lease holds, and its connection has not ended since it was heard
 * @param heartbeatAgeMillis since it was last heard
 * @param disks number of its disks
 * @param transfers under way
 * @param attempts started
 * @param wins blocks that it delivered
 * @param cancelled attempts
 * @param failed attempts
 * @param relayedBytes sent to readers
 * @param wastedBytes read from stores and not sent to a reader
 * @param hedges second attempts of transfers that were reported to it
 * @param hedgesWon those that brought the bytes
 * @param switchHitShare share of requested leaves that its cache had, 0..1; -1: it is no switch
 * @param readsPerSecond lately
 * @param bytesPerSecond lately
 */
public record ShownHelper(
        String id,
        String location,
        boolean alive,
        long heartbeatAgeMillis,
        int disks,
        int transfers,
        long attempts,
        long wins,
        long cancelled,
        long failed,
        long relayedBytes,
        long wastedBytes,
        long hedges,
        long hedgesWon,
        double switchHitShare,
        double readsPerSecond,
        long bytesPerSecond) {}
