package io.cloudmw.lab.fanout;

import io.cloudmw.lab.fleet.Host;
import java.util.List;

/**
 * The hosts of a run. Host 0 runs the store, the coordinator and the lab; then follow a host for each switch and a host
 * for each client.
 *
 * @param command the prefix of commands on a host; <code>{}</code> stands for the host's number; empty: all run on this
 *     machine
 * @param address of a host; <code>{}</code> stands for its number
 */
public record Hosts(String command, String address) {
    private static final String NUMBER = "{}";

    /** The hosts when all processes run on this machine. */
    public static final Hosts NONE = new Hosts("", Host.LOCAL.address());

    public Hosts {
        if (!command.isEmpty() && !(command.contains(NUMBER) && address.contains(NUMBER))) {
            throw new IllegalArgumentException("host-command: \"" + command + "\", host-address: \"" + address
                    + "\" (expected: both, with {} for the number of a host)");
        }
    }

    /** Returns whether there are several hosts. */
    boolean areMany() {
        return !command.isEmpty();
    }

    /** Returns a host. Commands on host 0 need no prefix, since the lab itself runs there. */
    Host host(int number) {
        List<String> words = command.isEmpty() || number == 0 ? List.of() : words(numbered(command, number));
        return new Host(words, numbered(address, number));
    }

    /** Splits a command into words; quotes have no meaning. */
    public static List<String> words(String command) {
        return command.isBlank() ? List.of() : List.of(command.strip().split("\\s+", -1));
    }

    private static String numbered(String text, int number) {
        return text.replace(NUMBER, Integer.toString(number));
    }
}
