package io.cloudmw.core.config;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * The addresses of processes with the same role, written {@code host:port[,host:port...]}.
 *
 * @param all 1..{@value #MAX}, each once
 */
public record HostPorts(List<HostPort> all) {
    static final int MAX = 16;

    public HostPorts {
        all = List.copyOf(all);
        if (all.isEmpty() || all.size() > MAX) {
            throw new IllegalArgumentException("addresses: " + all.size() + " (expected: 1.." + MAX + ")");
        }
        if (all.stream().distinct().count() < all.size()) {
            throw new IllegalArgumentException("addresses: " + all + " (expected: each once)");
        }
    }

    public static HostPorts of(HostPort one) {
        return new HostPorts(List.of(one));
    }

    /**
     * Reads what {@link #toString()} writes.
     *
     * @throws IllegalArgumentException when it is not of that form
     */
    public static HostPorts parse(String text) {
        List<HostPort> all = new ArrayList<>();
        for (String one : text.split(",", -1)) {
            all.add(HostPort.parse(one));
        }
        return new HostPorts(all);
    }

    /** The same text for the same addresses, in whatever order and case they are given. */
    public String inAnyOrder() {
        return all.stream()
                .map(one -> one.toString().toLowerCase(Locale.ROOT))
                .sorted()
                .collect(Collectors.joining(","));
    }

    @Override
    public String toString() {
        return all.stream().map(HostPort::toString).collect(Collectors.joining(","));
    }
}
