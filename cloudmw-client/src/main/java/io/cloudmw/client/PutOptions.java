package io.cloudmw.client;

import io.cloudmw.client.progress.TransferListener;

/**
 * How to put. Immutable.
 *
 * @param listener told what happens
 */
public record PutOptions(TransferListener listener) {
    private static final PutOptions DEFAULTS = new PutOptions(TransferListener.NONE);

    public static PutOptions defaults() {
        return DEFAULTS;
    }

    public PutOptions withListener(TransferListener told) {
        return new PutOptions(told);
    }
}
