package io.cloudmw.core.cost;

/**
 * The prices of reads from a set of stores, in any currency.
 *
 * @param perRequest to a store
 * @param perByte that leaves a store
 */
public record ReadRates(double perRequest, double perByte) {
    /** The price of one predicted read. */
    public double price(Prediction prediction) {
        return perRequest * prediction.requests() + perByte * prediction.fetchedBytes();
    }
}
