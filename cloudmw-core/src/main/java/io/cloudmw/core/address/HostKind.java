package io.cloudmw.core.address;

import io.netty.util.NetUtil;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The reach of a host name or address, as far as its text shows. */
public enum HostKind {
    /** Every address of the machine that listens: no client can connect to it. */
    WILDCARD,
    /** The machine itself. */
    LOOPBACK,
    /** An IPv6 address that means nothing without an interface of the machine that uses it. */
    LINK_LOCAL,
    /** An address or a name that other machines may reach. */
    NETWORK;

    private static final String LOCALHOST = "localhost";

    /** The kind of a host. Resolves nothing: a name other than {@code localhost} is {@link #NETWORK}. */
    public static HostKind of(String host) {
        @Nullable InetAddress literal = NetUtil.createInetAddressFromIpAddressString(host);
        if (literal != null) {
            return of(literal);
        }
        String name = host.toLowerCase(Locale.ROOT);
        return name.equals(LOCALHOST) || name.endsWith("." + LOCALHOST) ? LOOPBACK : NETWORK;
    }

    static HostKind of(InetAddress address) {
        if (address.isAnyLocalAddress()) {
            return WILDCARD;
        }
        if (address.isLoopbackAddress()) {
            return LOOPBACK;
        }
        return address instanceof Inet6Address && address.isLinkLocalAddress() ? LINK_LOCAL : NETWORK;
    }
}
