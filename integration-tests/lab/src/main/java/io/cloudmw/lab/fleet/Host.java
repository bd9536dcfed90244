package io.cloudmw.lab.fleet;

import java.util.List;
import java.util.stream.Stream;

/**
 * The location of a fleet's processes: this machine, or a network namespace that stands for another machine.
 *
 * @param command the prefix of a command that runs there; its process must become that of the command
 * @param address on which processes there listen and are reached
 */
public record Host(List<String> command, String address) {
    /** This machine, on its loopback address. */
    public static final Host LOCAL = new Host(List.of(), "127.0.0.1");

    public Host {
        command = List.copyOf(command);
    }

    /** Returns this host with words inserted between the prefix and the command. */
    public Host with(List<String> more) {
        return new Host(Stream.concat(command.stream(), more.stream()).toList(), address);
    }
}
