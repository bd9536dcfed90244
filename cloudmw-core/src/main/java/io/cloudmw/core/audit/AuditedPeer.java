package io.cloudmw.core.audit;

import io.cloudmw.core.tls.ProcessIdentity;
import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The process at the other end of a connection, as the audit trail names it.
 *
 * @param identity of its certificate; empty: it showed none that is good
 * @param address the source address of its connection; empty: not known
 * @param client its description of itself; empty: none
 */
public record AuditedPeer(Optional<ProcessIdentity> identity, Optional<InetSocketAddress> address, String client) {
    private static final int MAX_CLIENT = 100;

    public AuditedPeer {
        client = AuditText.plain(client, MAX_CLIENT);
    }

    /**
     * The peer of a connection.
     *
     * @param remote its source address; null or of another kind: not known
     */
    public static AuditedPeer of(Optional<ProcessIdentity> identity, @Nullable SocketAddress remote, String client) {
        return new AuditedPeer(
                identity,
                remote instanceof InetSocketAddress address ? Optional.of(address) : Optional.empty(),
                client);
    }

    /** The source address and port of its connection as a text. */
    public String place() {
        return address.map(NetUtil::toSocketAddressString).orElse("unknown");
    }

    /** The name of those who share a limit: of a subject, or of an address without a certificate. */
    String name() {
        return identity.map(ProcessIdentity::describe)
                .orElseGet(() -> address.map(InetSocketAddress::getAddress)
                        .map(InetAddress::getHostAddress)
                        .orElse(""));
    }
}
