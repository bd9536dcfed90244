package io.cloudmw.core.address;

import io.cloudmw.core.config.HostPort;
import io.cloudmw.core.config.HostPorts;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The policy that decides where a process listens and which host it advertises. Without settings, both are the address
 * by which this machine reaches the coordinator. Addresses that other machines cannot use are refused: the wildcard
 * always, loopback when a coordinator is elsewhere. Confined to one thread, which it may block for some seconds.
 */
public final class AddressPolicy {
    private final HostPorts coordinators;
    private final HostNetwork network;
    private @Nullable Route route;

    public AddressPolicy(HostPorts coordinators, HostNetwork network) {
        this.coordinators = coordinators;
        this.network = network;
    }

    /**
     * The settings of one listening socket.
     *
     * @param listenSetting the setting's name for {@code listen}
     * @param listen empty: not set
     * @param advertiseSetting the setting's name for {@code advertiseHost}
     * @param advertiseHost the host to advertise; empty: not set
     * @param advertisePort the port to advertise; 0: the one it listens on
     */
    public record SocketSettings(
            String listenSetting,
            Optional<HostPort> listen,
            String advertiseSetting,
            String advertiseHost,
            int advertisePort) {}

    /**
     * A decision about one listening socket.
     *
     * @param listen port 0: any free one
     * @param host to be advertised
     * @param advertisePort 0: the one it listens on
     */
    public record Decision(HostPort listen, String host, int advertisePort) {
        /** The advertised address, once the socket listens on this port. */
        public HostPort advertised(int port) {
            return new HostPort(host, advertisePort == 0 ? port : advertisePort);
        }
    }

    /**
     * Decides for one listening socket.
     *
     * @throws CloudMwException {@code INVALID_ARGUMENT} when other machines could not use the advertised address,
     *     naming the setting; {@code COORDINATOR_UNAVAILABLE} when the address depends on a coordinator that has no
     *     known address
     */
    public Decision decide(SocketSettings wish) throws CloudMwException {
        String host = advertisedHost(wish);
        requireUsable(wish, host);
        HostPort listen =
                wish.listen().isPresent() ? wish.listen().get() : new HostPort(ownHost(wish.advertiseHost()), 0);
        return new Decision(listen, host, wish.advertisePort());
    }

    private String advertisedHost(SocketSettings wish) throws CloudMwException {
        if (!wish.advertiseHost().isEmpty()) {
            return wish.advertiseHost();
        }
        boolean isGiven =
                wish.listen().isPresent() && HostKind.of(wish.listen().get().host()) != HostKind.WILDCARD;
        return isGiven ? wish.listen().get().host() : route().localHost();
    }

    /** The advertised host if this machine has that address, which is not so behind a NAT. */
    private String ownHost(String advertised) throws CloudMwException {
        if (!advertised.isEmpty()) {
            try {
                if (network.resolve(advertised).stream().allMatch(this::isOwnNetworkAddress)) {
                    return advertised;
                }
            } catch (UnknownHostException e) {
                // A name that this machine cannot resolve is none of its own.
                return route().localHost();
            }
        }
        return route().localHost();
    }

    /** Returns whether the address is this machine's and not loopback, to which the machine's own name often leads. */
    private boolean isOwnNetworkAddress(InetAddress address) {
        return HostKind.of(address) == HostKind.NETWORK && network.isOwn(address);
    }

    private Route route() throws CloudMwException {
        Route known = route;
        if (known == null) {
            known = Route.find(coordinators, network);
            route = known;
        }
        return known;
    }

    private void requireUsable(SocketSettings wish, String host) throws CloudMwException {
        switch (HostKind.of(host)) {
            case WILDCARD -> throw refused(wish, host, "no process can connect to this address");
            case LINK_LOCAL -> throw refused(wish, host, "this address means nothing on other machines");
            case LOOPBACK -> {
                Optional<HostPort> elsewhere = Route.elsewhere(coordinators, network);
                if (elsewhere.isPresent()) {
                    throw refused(
                            wish,
                            host,
                            "only this machine reaches this address, and the coordinator is " + elsewhere.get());
                }
            }
            case NETWORK -> {}
        }
    }

    private static CloudMwException refused(SocketSettings wish, String host, String why) {
        String setting = wish.advertiseHost().isEmpty() ? wish.listenSetting() : wish.advertiseSetting();
        return new CloudMwException(
                ErrorCode.INVALID_ARGUMENT,
                setting + ": " + host + " (expected: an address of this machine that others reach, since " + why + "; "
                        + wish.listenSetting() + " or " + wish.advertiseSetting()
                        + " name one, by default it is the one that leads to the coordinator)");
    }

    /**
     * Refuses an address that leads nowhere from other machines.
     *
     * @param who the process that advertises it
     * @param advertised {@code host:port}
     * @param caller the address its call came from; empty: not known
     * @param settings the settings that its user may set instead
     * @throws CloudMwException {@code INVALID_ARGUMENT} for text that is no address, for the wildcard, port 0, an IPv6
     *     address of one link, and for loopback from a caller on another address
     */
    public static void requireReachable(String who, String advertised, Optional<InetAddress> caller, String settings)
            throws CloudMwException {
        HostPort address;
        try {
            address = HostPort.parse(advertised);
        } catch (IllegalArgumentException e) {
            throw new CloudMwException(
                    ErrorCode.INVALID_ARGUMENT, who + " advertises no address: " + e.getMessage(), e);
        }
        HostKind kind = HostKind.of(address.host());
        boolean strange = caller.isPresent() && !caller.get().isLoopbackAddress();
        if (address.port() == 0
                || kind == HostKind.WILDCARD
                || kind == HostKind.LINK_LOCAL
                || (kind == HostKind.LOOPBACK && strange)) {
            throw new CloudMwException(
                    ErrorCode.INVALID_ARGUMENT,
                    who + " advertises " + advertised + ", which other machines cannot reach"
                            + caller.map(from -> "; its call came from " + NetUtil.toAddressString(from))
                                    .orElse("")
                            + " (expected: an address of its machine that others reach; set " + settings + ")");
        }
    }
}
