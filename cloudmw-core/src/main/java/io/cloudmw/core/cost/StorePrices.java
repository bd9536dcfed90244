package io.cloudmw.core.cost;

import java.math.BigDecimal;

/**
 * The prices of one store, in the currency of its table. A GB is 2<sup>30</sup> bytes, as AWS bills it.
 *
 * @param getPer1000 thousand reads, cancelled ones included
 * @param putPer1000 thousand writes
 * @param storagePerGbMonth storing a GB for a month
 * @param egressSameRegionPerGb a GB to a reader in the store's region
 * @param egressOtherRegionPerGb a GB to a reader in another region of the same provider
 * @param egressInternetPerGb a GB to a reader anywhere else
 */
public record StorePrices(
        BigDecimal getPer1000,
        BigDecimal putPer1000,
        BigDecimal storagePerGbMonth,
        BigDecimal egressSameRegionPerGb,
        BigDecimal egressOtherRegionPerGb,
        BigDecimal egressInternetPerGb) {}
