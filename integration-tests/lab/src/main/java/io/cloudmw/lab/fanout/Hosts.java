package io.cloudmw.lab.fanout;

import io.cloudmw.lab.fleet.Host;
import java.util.List;

/**
 * The hosts of a run: host 0 has the store, the coordinator and the laboratory itself, then comes one for each
 * switch, then one for each client.
 *
 * @param command what commands there begin with; <code>{}</code> stands for the host's number; empty: all run on this machine
 * @param address of a host; <code>{}</code> stands for its number
 */
public record Hosts(String command, String address) {
    private static final String NUMBER = "{}";

    /** Everything on this machine. */
    public static final Hosts NONE = new Hosts("", Host.LOCAL.address());

    public Hosts {
        if (!command.isEmpty() && !(command.contains(NUMBER) && address.contains(NUMBER))) {
            throw new IllegalArgumentException("host-command: \"" + command + "\", host-address: \"" + address
                    + "\" (expected: both, with {} for the number of a host)");
        }
    }

    /** Whether there are several. */
    boolean areMany() {
        return !command.isEmpty();
    }

    /** The laboratory runs on host 0, as whoever started it saw to. */
    Host host(int number) {
        List<String> words = command.isEmpty() || number == 0 ? List.of() : words(numbered(command, number));
        return new Host(words, numbered(address, number));
    }

    /** A command as it is written, without quotes. */
    public static List<String> words(String command) {
        return command.isBlank() ? List.of() : List.of(command.strip().split("\\s+", -1));
    }

    private static String numbered(String text, int number) {
        return text.replace(NUMBER, Integer.toString(number));
    }
}
