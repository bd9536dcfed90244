package io.cloudmw.core.security;

/** The rights to the chunks of a version. */
public enum TransferRight {
    READ(1),
    WRITE(2);

    private final int bit;

    TransferRight(int bit) {
        this.bit = bit;
    }

    /** Its bit in a token; never changes. */
    int bit() {
        return bit;
    }
}
