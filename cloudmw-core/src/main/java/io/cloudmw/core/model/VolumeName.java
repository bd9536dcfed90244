package io.cloudmw.core.model;

/** The name of a volume in its cluster: 1 to 63 of a-z, 0-9 and '-', not starting with '-'. */
public record VolumeName(String value) implements Comparable<VolumeName> {
    public VolumeName {
        NameRule.check("volume", value);
    }

    @Override
    public int compareTo(VolumeName other) {
        return value.compareTo(other.value);
    }

    @Override
    public String toString() {
        return value;
    }
}
