package io.cloudmw.core.config;

/**
 * An address on which a process listens or is reached, written {@code host:port} or {@code [ipv6]:port}.
 *
 * @param host without brackets
 * @param port 0 for any free port, where a process listens
 */
public record HostPort(String host, int port) {
    public HostPort {
        if (host.isEmpty() || host.length() > 255 || host.chars().anyMatch(c -> c <= ' ')) {
            throw new IllegalArgumentException("host: \"" + host + "\" (expected: a name or an address)");
        }
        if (port < 0 || port > 65_535) {
            throw new IllegalArgumentException("port: " + port + " (expected: 0..65535)");
        }
    }

    /**
     * Reads what {@link #toString()} writes.
     *
     * @throws IllegalArgumentException when it is not of that form
     */
    public static HostPort parse(String text) {
        String stripped = text.strip();
        int colon = stripped.lastIndexOf(':');
        String host = colon < 0 ? "" : stripped.substring(0, colon);
        String port = stripped.substring(colon + 1);
        if (host.startsWith("[") && host.endsWith("]")) {
            host = host.substring(1, host.length() - 1);
        } else if (host.contains(":")) {
            throw new IllegalArgumentException("address: \"" + text + "\" (expected: [ipv6]:port)");
        }
        if (host.isEmpty() || !port.matches("\\d{1,5}")) {
            throw new IllegalArgumentException("address: \"" + text + "\" (expected: host:port)");
        }
        return new HostPort(host, Integer.parseInt(port));
    }

    @Override
    public String toString() {
        return (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
    }
}
