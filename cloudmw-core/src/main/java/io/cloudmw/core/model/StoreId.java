package io.cloudmw.core.model;

/** The name of a store in its cluster: 1 to 63 of a-z, 0-9 and '-', not starting with '-'. */
public record StoreId(String value) implements Comparable<StoreId> {
    public StoreId {
        NameRule.check("store", value);
    }

    @Override
    public int compareTo(StoreId other) {
        return value.compareTo(other.value);
    }

    @Override
    public String toString() {
        return value;
    }
}
