package io.cloudmw.client.read.ledger;

import io.cloudmw.core.time.Ticker;

/** The counts of one get's verified bytes, by their origin. Confined to the transfer. */
final class ByteCounts {
    private final Ticker ticker;
    private long delivered;
    private long kept;
    private long fromPeers;
    private long deliveredAtNanos;
    /** The bytes that the listener was told: never fewer, although a chunk may be read again. */
    private long reported;
    /** Likewise bytes that an earlier get had left. */
    private long reportedKept;

    ByteCounts(Ticker ticker) {
        this.ticker = ticker;
        deliveredAtNanos = ticker.nanos();
    }

    /** Adds bytes that a racer delivered. */
    void addDelivered(long bytes) {
        delivered += bytes;
        deliveredAtNanos = ticker.nanos();
    }

    /** Adds bytes that a peer delivered. */
    void addFromPeers(long bytes) {
        fromPeers += bytes;
        deliveredAtNanos = ticker.nanos();
    }

    /** Adds bytes that an earlier get had left. */
    void addKept(long bytes) {
        kept += bytes;
    }

    /** Subtracts bytes of chunks that another plan reads again. */
    void subtract(long openDelivered, long openKept, long openFromPeers) {
        delivered -= openDelivered;
        kept -= openKept;
        fromPeers -= openFromPeers;
    }

    /** The sum to report, which never falls. */
    long toReport() {
        reported = Math.max(reported, kept + delivered + fromPeers);
        return reported;
    }

    /** The bytes of an earlier get to report, which never fall. */
    long keptToReport() {
        reportedKept = Math.max(reportedKept, kept);
        return reportedKept;
    }

    long delivered() {
        return delivered;
    }

    long kept() {
        return kept;
    }

    long fromPeers() {
        return fromPeers;
    }

    /** When verified bytes last came; when the read began, if none have. */
    long deliveredAtNanos() {
        return deliveredAtNanos;
    }
}
