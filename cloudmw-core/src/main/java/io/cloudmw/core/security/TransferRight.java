package io.cloudmw.core.security;

/** What may be done with the chunks of a version. */
public enum TransferRight {
    READ(1),
    WRITE(2);

    private final int bit;

    TransferRight(int bit) {
        this.bit = bit;
    }

    /** Its place in a token; never changes. */
    int bit() {
        return bit;
    }
}
