package io.cloudmw.core.store.http;

import java.net.URI;
import java.util.Locale;

/**
 * A server of stores.
 *
 * @param tls whether its connections are encrypted
 */
record HttpOrigin(boolean tls, String host, int port) {
    private static final int HTTP_PORT = 80;
    private static final int HTTPS_PORT = 443;

    /** @throws IllegalArgumentException when the URL is none of HTTP; the message does not have it */
    static HttpOrigin of(URI url) {
        String scheme = String.valueOf(url.getScheme()).toLowerCase(Locale.ROOT);
        boolean tls = scheme.equals("https");
        if (url.getHost() == null || !(tls || scheme.equals("http"))) {
            throw new IllegalArgumentException("a signed URL is not of http or https");
        }
        int port = url.getPort() < 0 ? standardPort(tls) : url.getPort();
        return new HttpOrigin(tls, url.getHost(), port);
    }

    private static int standardPort(boolean tls) {
        return tls ? HTTPS_PORT : HTTP_PORT;
    }

    /** The name to look up; an IPv6 address loses its brackets. */
    String address() {
        return host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
    }

    /** The value of the header {@code Host}, as it was signed. */
    String header() {
        return port == standardPort(tls) ? host : host + ":" + port;
    }
}
