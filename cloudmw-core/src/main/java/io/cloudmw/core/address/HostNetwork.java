package io.cloudmw.core.address;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.List;

/** A machine's network stack: names, routes and its own addresses. Methods may block for a second. */
public interface HostNetwork {
    /** The network stack of this machine. */
    static HostNetwork ofThisMachine() {
        return new MachineNetwork();
    }

    /** All addresses of a host; at least one. */
    List<InetAddress> resolve(String host) throws UnknownHostException;

    /**
     * Connects over TCP.
     *
     * @return the local address of the connection
     * @throws IOException when there is no answer in time
     */
    InetAddress connect(InetSocketAddress remote) throws IOException;

    /**
     * Looks up the route without sending anything.
     *
     * @return the local address that packets to {@code remote} carry
     * @throws IOException when there is no route
     */
    InetAddress route(InetSocketAddress remote) throws IOException;

    /** Returns whether an interface of this machine has this address. */
    boolean isOwn(InetAddress address);
}
