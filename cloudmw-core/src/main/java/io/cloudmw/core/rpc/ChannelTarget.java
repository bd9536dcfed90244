package io.cloudmw.core.rpc;

import io.cloudmw.core.config.HostPorts;
import io.grpc.NameResolver;
import io.grpc.NameResolverProvider;
import io.grpc.NameResolverRegistry;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The target URI of a channel: one name, or several names of coordinators, each resolved by gRPC's own DNS resolver.
 * The channel's load balancing policy chooses among the addresses and moves on when one fails.
 */
public final class ChannelTarget {
    private static final String SCHEME = "cloudmw";
    private static final String DNS = "dns";

    static {
        NameResolverRegistry.getDefaultRegistry().register(new Provider());
    }

    private ChannelTarget() {}

    /** The target for these addresses. */
    public static String of(HostPorts addresses) {
        return target(addresses.all().size() == 1 ? DNS : SCHEME, addresses.toString())
                .toString();
    }

    /**
     * The target for one address.
     *
     * @param address {@code host:port} or {@code [ipv6]:port}
     */
    public static String of(String address) {
        return target(DNS, address).toString();
    }

    /** Makes a URI, in whose path brackets must be escaped. */
    private static URI target(String scheme, String path) {
        try {
            return new URI(scheme, "", "/" + path, null);
        } catch (URISyntaxException e) {
            throw new IllegalArgumentException("address: \"" + path + "\" (expected: host:port)", e);
        }
    }

    /** The resolver of {@code cloudmw:///host:port,host:port}. */
    private static final class Provider extends NameResolverProvider {
        @Override
        protected boolean isAvailable() {
            return true;
        }

        /** The lowest priority, so that it is never chosen for a target without a scheme. */
        @Override
        protected int priority() {
            return 0;
        }

        @Override
        public String getDefaultScheme() {
            return SCHEME;
        }

        @Override
        public @Nullable NameResolver newNameResolver(URI target, NameResolver.Args args) {
            if (!SCHEME.equals(target.getScheme())) {
                return null;
            }
            HostPorts addresses = HostPorts.parse(target.getPath().substring(1));
            NameResolver.Factory dns = NameResolverRegistry.getDefaultRegistry().asFactory();
            List<NameResolver> parts = new ArrayList<>();
            addresses.all().forEach(one -> parts.add(dns.newNameResolver(target(DNS, one.toString()), args)));
            return new AddressListResolver(addresses.all().get(0).toString(), parts);
        }
    }
}
