package io.cloudmw.core.hedge;

/**
 * The percentile of a store's times to the first byte after which a first byte is late, so that a second attempt may be
 * hedged. The monitor takes it from what was measured; plans carry it as the p95 ({@code ExpectedSpeed}). The bounds of
 * the resulting delay are in {@code ModePolicy.Extras}.
 */
public final class LateThreshold {
    /** The share of first bytes that are late at a store that is as fast as usual. */
    public static final double LATE_SHARE = 0.05;

    /** The share of first bytes that are in time. */
    public static final double PERCENTILE = 1 - LATE_SHARE;

    private LateThreshold() {}
}
