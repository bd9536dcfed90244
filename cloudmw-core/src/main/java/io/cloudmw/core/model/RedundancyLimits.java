package io.cloudmw.core.model;

/**
 * The limits on redundant requests of one client, over all its reads.
 *
 * @param share extra requests and bytes per useful one, 0 to 1
 * @param burstRequests extra requests beyond the share at any time; the bucket holds no more
 * @param burstBytes extra bytes beyond the share at any time; the bucket holds no more
 */
public record RedundancyLimits(double share, int burstRequests, long burstBytes) {
    /** 5 of 100 requests and bytes, with bursts of 16 requests and 64 MiB. */
    public static final RedundancyLimits DEFAULT = new RedundancyLimits(0.05, 16, 64L << 20);

    /** The default bursts with another share; 0: no redundancy at all. */
    public static RedundancyLimits ofShare(double share) {
        return share == 0
                ? new RedundancyLimits(0, 0, 0)
                : new RedundancyLimits(share, DEFAULT.burstRequests(), DEFAULT.burstBytes());
    }

    /** Checks the limits. */
    public RedundancyLimits {
        if (!(share >= 0 && share <= 1)) {
            throw new IllegalArgumentException("share: " + share + " (expected: 0..1)");
        }
        if (burstRequests < 0) {
            throw new IllegalArgumentException("burstRequests: " + burstRequests + " (expected: >= 0)");
        }
        if (burstBytes < 0) {
            throw new IllegalArgumentException("burstBytes: " + burstBytes + " (expected: >= 0)");
        }
    }
}
