package io.cloudmw.core.address;

import io.cloudmw.core.config.HostPort;
import io.cloudmw.core.config.HostPorts;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.netty.util.NetUtil;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The route from this machine to a coordinator.
 *
 * @param coordinator its name in the settings
 * @param remote the address it was resolved to
 * @param local the address of this machine that the coordinator sees
 */
record Route(HostPort coordinator, InetAddress remote, InetAddress local) {
    /** The most addresses to try for a name; coordinators have few. */
    private static final int MAX_TRIES = 8;

    /** An address of a coordinator. */
    private record Target(HostPort coordinator, InetAddress remote) {
        InetSocketAddress socket() {
            return new InetSocketAddress(remote, coordinator.port());
        }

        /** Returns whether the address is this machine's, the wildcard included. */
        boolean isLocal() {
            HostKind kind = HostKind.of(remote);
            return kind == HostKind.LOOPBACK || kind == HostKind.WILDCARD;
        }
    }

    /** Returns whether the coordinator is on the loopback interface of this machine. */
    boolean isLoopback() {
        return local.isLoopbackAddress();
    }

    String localHost() {
        return NetUtil.toAddressString(local);
    }

    /**
     * Finds the route to one of several coordinators: the first that accepts a connection, otherwise the first with a
     * route. Coordinators on other machines come before those on loopback.
     *
     * @throws CloudMwException {@code COORDINATOR_UNAVAILABLE} when no name is known, or there is no route to any
     *     address
     */
    static Route find(HostPorts coordinators, HostNetwork network) throws CloudMwException {
        List<Target> targets = new ArrayList<>();
        IOException last = null;
        for (HostPort coordinator : coordinators.all()) {
            try {
                network.resolve(coordinator.host()).forEach(remote -> targets.add(new Target(coordinator, remote)));
            } catch (UnknownHostException e) {
                last = e;
            }
        }
        List<Target> remotes = targets.stream()
                .filter(target -> !target.isLocal())
                .limit(MAX_TRIES)
                .toList();
        if (remotes.isEmpty() && !targets.isEmpty()) {
            Target here = targets.get(0);
            return new Route(here.coordinator(), here.remote(), loopback(here.remote()));
        }
        for (Target target : remotes) {
            try {
                return new Route(target.coordinator(), target.remote(), network.connect(target.socket()));
            } catch (IOException e) {
                last = e;
            }
        }
        for (Target target : remotes) {
            try {
                return new Route(target.coordinator(), target.remote(), network.route(target.socket()));
            } catch (IOException | RuntimeException e) {
                last = e instanceof IOException known ? known : new IOException(e);
            }
        }
        throw new CloudMwException(
                ErrorCode.COORDINATOR_UNAVAILABLE,
                "coordinator " + coordinators + ": no route to it, hence no address to advertise: " + last,
                last == null ? new UnknownHostException(coordinators.toString()) : last);
    }

    private static InetAddress loopback(InetAddress remote) {
        if (remote.isLoopbackAddress()) {
            return remote;
        }
        return remote.getAddress().length == 4 ? NetUtil.LOCALHOST4 : NetUtil.LOCALHOST6;
    }

    /**
     * A coordinator that is known to be on another machine, or on an address that other machines reach; empty: none.
     */
    static Optional<HostPort> elsewhere(HostPorts coordinators, HostNetwork network) {
        for (HostPort coordinator : coordinators.all()) {
            try {
                for (InetAddress remote : network.resolve(coordinator.host())) {
                    if (!new Target(coordinator, remote).isLocal()) {
                        return Optional.of(coordinator);
                    }
                }
            } catch (UnknownHostException e) {
                // The name is unknown here; the coordinator itself checks what is advertised to it.
            }
        }
        return Optional.empty();
    }
}
