package io.cloudmw.core.model;

/** The name of a helper process in its cluster: 1 to 63 of a-z, 0-9 and '-', not starting with '-'. */
public record HelperId(String value) implements Comparable<HelperId> {
    public HelperId {
        NameRule.check("helper", value);
    }

    @Override
    public int compareTo(HelperId other) {
        return value.compareTo(other.value);
    }

    @Override
    public String toString() {
        return value;
    }
}
