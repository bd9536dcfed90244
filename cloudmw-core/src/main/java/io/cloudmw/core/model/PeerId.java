package io.cloudmw.core.model;

/** The name of a client that serves chunks while it runs: 1 to 63 of a-z, 0-9 and '-', not starting with '-'. */
public record PeerId(String value) implements Comparable<PeerId> {
    public PeerId {
        NameRule.check("peer", value);
    }

    /** A name that no other client has. */
    public static PeerId random() {
        return new PeerId("peer-" + VersionId.random().value());
    }

    @Override
    public int compareTo(PeerId other) {
        return value.compareTo(other.value);
    }

    @Override
    public String toString() {
        return value;
    }
}
