package io.cloudmw.lab.fleet;

import java.util.List;
import java.util.stream.Stream;

/**
 * The place of a fleet's processes: this machine, or a network namespace that stands for another.
 *
 * @param command what the command of a process there begins with; it must become that process
 * @param address under which what runs there listens and is reached
 */
public record Host(List<String> command, String address) {
    /** This machine, reached by itself only. */
    public static final Host LOCAL = new Host(List.of(), "127.0.0.1");

    public Host {
        command = List.copyOf(command);
    }

    /** The same; {@code more} comes before what is run there. */
    public Host with(List<String> more) {
        return new Host(Stream.concat(command.stream(), more.stream()).toList(), address);
    }
}
