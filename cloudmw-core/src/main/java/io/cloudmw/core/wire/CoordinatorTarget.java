package io.cloudmw.core.wire;

import io.cloudmw.core.config.HostPorts;
import io.grpc.NameResolver;
import io.grpc.NameResolverProvider;
import io.grpc.NameResolverRegistry;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a channel to the coordinators is built for: one name, or several, each resolved by gRPC's own DNS resolver into as many
 * addresses as it has. Which of them is used, and which next when one fails, is the channel's load balancing policy.
 */
public final class CoordinatorTarget {
    private static final String SCHEME = "cloudmw";

    static {
        NameResolverRegistry.getDefaultRegistry().register(new Provider());
    }

    private CoordinatorTarget() {}

    /** The target for these addresses. */
    public static String of(HostPorts addresses) {
        String scheme = addresses.all().size() == 1 ? "dns" : SCHEME;
        return scheme + ":///" + addresses;
    }

    /** Resolves {@code cloudmw:///host:port,host:port}. */
    private static final class Provider extends NameResolverProvider {
        @Override
        protected boolean isAvailable() {
            return true;
        }

        /** Never what is taken for a target without a scheme. */
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
            addresses.all().forEach(one -> parts.add(dns.newNameResolver(URI.create("dns:///" + one), args)));
            return new AddressList(addresses.all().get(0).toString(), parts);
        }
    }
}
