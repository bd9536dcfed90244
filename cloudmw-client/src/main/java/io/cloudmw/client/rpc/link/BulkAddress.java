package io.cloudmw.client.rpc.link;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import java.net.InetSocketAddress;

/** A parser of bulk addresses, {@code host:port}. */
final class BulkAddress {
    private BulkAddress() {}

    /** An unresolved address, because resolving it may block. */
    static InetSocketAddress parse(String address) throws CloudMwException {
        int colon = address.lastIndexOf(':');
        try {
            String host = address.substring(0, Math.max(0, colon));
            if (host.startsWith("[") && host.endsWith("]")) {
                host = host.substring(1, host.length() - 1);
            }
            return InetSocketAddress.createUnresolved(host, Integer.parseInt(address.substring(colon + 1)));
        } catch (IllegalArgumentException e) {
            throw new CloudMwException(
                    ErrorCode.INVALID_ARGUMENT, "address: \"" + address + "\" (expected: host:port)", e);
        }
    }
}
