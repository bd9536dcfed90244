package io.cloudmw.helper.page;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import io.cloudmw.core.address.HostKind;
import io.cloudmw.core.config.HostPort;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.time.Ticker;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The rules of access to the page. With a token, a caller must have it. Without one, the page is open on a loopback
 * address, to requests that name such an address, and closed on any other. Safe for any thread.
 */
public final class PageAccessCheck {
    static final String SETTING = "coordinator.http.token-file";

    private static final String COOKIE = "cloudmw-page";
    private static final String BEARER = "Bearer ";
    private static final String FIELD = "token=";

    private final boolean loopback;
    private final Optional<PageToken> token;
    private final FailedAttempts failures;

    PageAccessCheck(HostPort listen, Optional<PageToken> token, Ticker ticker) {
        this.loopback = HostKind.of(listen.host()) == HostKind.LOOPBACK;
        this.token = token;
        this.failures = new FailedAttempts(ticker);
    }

    /**
     * Reads the token, if there is one.
     *
     * @param listen the address of the page; empty: there is no page
     * @throws CloudMwException as {@link PageToken#read}
     */
    public static Optional<PageAccessCheck> read(Optional<HostPort> listen, Optional<Path> tokenFile)
            throws CloudMwException {
        Optional<PageToken> token =
                tokenFile.isPresent() ? Optional.of(PageToken.read(SETTING, tokenFile.get())) : Optional.empty();
        return listen.map(address -> new PageAccessCheck(address, token, Ticker.system()));
    }

    /** The decision about a request. */
    enum Verdict {
        ALLOWED,
        /** A token is needed, and the request has none. */
        LOGIN_NEEDED,
        /** The request has a token, which is wrong. */
        WRONG_TOKEN,
        /** There were too many wrong tokens; this one was not checked. */
        TOO_MANY_FAILURES,
        /** The request names another host than this machine. */
        FOREIGN_HOST,
        /** The page has no token and is not on a loopback address. */
        CLOSED
    }

    Verdict check(HttpExchange exchange) {
        Headers headers = exchange.getRequestHeaders();
        if (token.isEmpty()) {
            if (!loopback) {
                return Verdict.CLOSED;
            }
            return namesLoopback(headers.getFirst("Host")) ? Verdict.ALLOWED : Verdict.FOREIGN_HOST;
        }
        if (hasCookie(headers, token.get())) {
            return Verdict.ALLOWED;
        }
        String authorization = headers.getFirst("Authorization");
        return authorization != null && authorization.regionMatches(true, 0, BEARER, 0, BEARER.length())
                ? tried(authorization.substring(BEARER.length()).strip())
                : Verdict.LOGIN_NEEDED;
    }

    private Verdict tried(String given) {
        if (!failures.mayTry()) {
            return Verdict.TOO_MANY_FAILURES;
        }
        if (token.isPresent() && token.get().matches(given)) {
            return Verdict.ALLOWED;
        }
        failures.failed();
        return Verdict.WRONG_TOKEN;
    }

    /** Checks what the login form posted; {@code CLOSED} when there is no token. */
    Verdict login(String form) {
        if (token.isEmpty()) {
            return Verdict.CLOSED;
        }
        for (String field : List.of(form.split("&", -1))) {
            if (field.startsWith(FIELD)) {
                return tried(decoded(field.substring(FIELD.length())));
            }
        }
        return Verdict.LOGIN_NEEDED;
    }

    private static String decoded(String text) {
        try {
            return URLDecoder.decode(text, StandardCharsets.UTF_8).strip();
        } catch (IllegalArgumentException e) {
            return "";
        }
    }

    /**
     * Returns the cookie for a caller that has given the token. It lasts until the browser is closed. Scripts and other
     * sites cannot use it.
     */
    String cookie() {
        return COOKIE + "=" + token.orElseThrow().cookie() + "; Path=/; HttpOnly; SameSite=Strict";
    }

    private static boolean hasCookie(Headers headers, PageToken token) {
        List<String> lines = headers.getOrDefault("Cookie", List.of());
        for (String line : lines) {
            for (String pair : line.split(";", -1)) {
                String stripped = pair.strip();
                if (stripped.startsWith(COOKIE + "=") && token.matchesCookie(stripped.substring(COOKIE.length() + 1))) {
                    return true;
                }
            }
        }
        return false;
    }

    /**
     * Returns whether a {@code Host} header names the machine itself. A page of another site whose name was made to
     * resolve to a loopback address names that site.
     */
    static boolean namesLoopback(@Nullable String header) {
        if (header == null) {
            return false;
        }
        String host = header.strip();
        if (host.startsWith("[")) {
            int end = host.indexOf(']');
            host = end < 0 ? "" : host.substring(1, end);
        } else if (host.contains(":")) {
            host = host.substring(0, host.indexOf(':'));
        }
        return !host.isEmpty() && HostKind.of(host) == HostKind.LOOPBACK;
    }
}
