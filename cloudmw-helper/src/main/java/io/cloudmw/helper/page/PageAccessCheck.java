package io.cloudmw.helper.page;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import io.cloudmw.coordinator.page.PageLogins;
import io.cloudmw.core.address.HostKind;
import io.cloudmw.core.config.HostPort;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.time.Ticker;
import java.net.InetAddress;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The rules of access to the page. A caller needs the page's token, or one of the cluster. In plain text and without a
 * token of the page, the page is open on a loopback address, to requests that name such an address, and closed on any
 * other. HTTP does not encrypt: a token or a login counts on a connection from this machine alone, as of a proxy with TLS
 * or a tunnel. Safe for any thread.
 */
public final class PageAccessCheck {
    static final String SETTING = "coordinator.http.token-file";

    private static final String COOKIE = "cloudmw-page";
    private static final String BEARER = "Bearer ";
    private static final String FIELD = "token=";

    private final boolean loopback;
    private final Optional<PageToken> token;
    private final PageLogins logins;
    private final FailedAttempts failures;

    PageAccessCheck(HostPort listen, Optional<PageToken> token, PageLogins logins, Ticker ticker) {
        this.loopback = HostKind.of(listen.host()) == HostKind.LOOPBACK;
        this.token = token;
        this.logins = logins;
        this.failures = new FailedAttempts(ticker);
    }

    /**
     * Reads the page's token, if there is one.
     *
     * @throws CloudMwException as {@link PageToken#read}
     */
    public static Settings read(Optional<Path> tokenFile) throws CloudMwException {
        return new Settings(
                tokenFile.isPresent() ? Optional.of(PageToken.read(SETTING, tokenFile.get())) : Optional.empty());
    }

    /** The settings of access, before the coordinator serves. */
    public static final class Settings {
        private final Optional<PageToken> token;

        private Settings(Optional<PageToken> token) {
            this.token = token;
        }

        /**
         * The rules of a page.
         *
         * @param listen the address of the page
         * @param logins those by tokens of the cluster
         */
        public PageAccessCheck at(HostPort listen, PageLogins logins) {
            return new PageAccessCheck(listen, token, logins, Ticker.system());
        }
    }

    /** The decision about a request. */
    enum Verdict {
        ALLOWED,
        /** A token is needed, and the request has none. */
        LOGIN_NEEDED,
        /** The request has a token, which is wrong. */
        WRONG_TOKEN,
        /** The request has a good token, whose subject may not see the page. */
        NO_ROLE,
        /** There were too many wrong tokens; this one was not checked. */
        TOO_MANY_FAILURES,
        /** The request names another host than this machine. */
        FOREIGN_HOST,
        /** A token is needed, and the connection comes from another machine: it would be sent in clear. */
        NOT_ENCRYPTED,
        /** The page has no token and is not on a loopback address. */
        CLOSED
    }

    /** @throws CloudMwException when the rights of a subject are not known */
    Verdict check(HttpExchange exchange) throws CloudMwException {
        Headers headers = exchange.getRequestHeaders();
        if (token.isEmpty() && !logins.isNeeded()) {
            if (!loopback) {
                return Verdict.CLOSED;
            }
            return namesLoopback(headers.getFirst("Host")) ? Verdict.ALLOWED : Verdict.FOREIGN_HOST;
        }
        if (!hasTokens()) {
            return Verdict.CLOSED;
        }
        if (!isFromThisMachine(exchange)) {
            return Verdict.NOT_ENCRYPTED;
        }
        if (hasCookie(headers)) {
            return Verdict.ALLOWED;
        }
        String authorization = headers.getFirst("Authorization");
        return authorization != null && authorization.regionMatches(true, 0, BEARER, 0, BEARER.length())
                ? bearer(authorization.substring(BEARER.length()).strip())
                : Verdict.LOGIN_NEEDED;
    }

    /** Returns whether what is sent on the connection passes no network. */
    static boolean isFromThisMachine(HttpExchange exchange) {
        InetAddress caller = exchange.getRemoteAddress().getAddress();
        return caller != null && caller.isLoopbackAddress();
    }

    private boolean hasTokens() {
        return token.isPresent() || logins.hasTokens();
    }

    /**
     * A try to log in.
     *
     * @param cookie the header for the browser of a caller that is allowed to see the page; it lasts until the browser is
     *     closed, and scripts and other sites cannot use it. Otherwise empty
     */
    record Login(Verdict verdict, String cookie) {
        private static Login refused(Verdict why) {
            return new Login(why, "");
        }

        private static Login allowed(String value) {
            return new Login(Verdict.ALLOWED, COOKIE + "=" + value + "; Path=/; HttpOnly; SameSite=Strict");
        }
    }

    private Verdict bearer(String given) throws CloudMwException {
        if (!failures.mayTry()) {
            return Verdict.TOO_MANY_FAILURES;
        }
        try {
            if ((token.isPresent() && token.get().matches(given)) || logins.admits(given)) {
                return Verdict.ALLOWED;
            }
        } catch (CloudMwException e) {
            return noRole(e);
        }
        failures.failed();
        return Verdict.WRONG_TOKEN;
    }

    private static Verdict noRole(CloudMwException failure) throws CloudMwException {
        if (failure.code() == ErrorCode.PERMISSION_DENIED) {
            return Verdict.NO_ROLE;
        }
        throw failure;
    }

    private Login tried(String given) throws CloudMwException {
        if (!failures.mayTry()) {
            return Login.refused(Verdict.TOO_MANY_FAILURES);
        }
        if (token.isPresent() && token.get().matches(given)) {
            return Login.allowed(token.get().cookie());
        }
        try {
            Optional<String> login = logins.login(given);
            if (login.isPresent()) {
                return Login.allowed(login.get());
            }
        } catch (CloudMwException e) {
            return Login.refused(noRole(e));
        }
        failures.failed();
        return Login.refused(Verdict.WRONG_TOKEN);
    }

    /** Checks what the login form posted; {@code CLOSED} when there is no token. */
    Login login(String form) throws CloudMwException {
        if (!hasTokens()) {
            return Login.refused(Verdict.CLOSED);
        }
        for (String field : List.of(form.split("&", -1))) {
            if (field.startsWith(FIELD)) {
                return tried(decoded(field.substring(FIELD.length())));
            }
        }
        return Login.refused(Verdict.LOGIN_NEEDED);
    }

    private static String decoded(String text) {
        try {
            return URLDecoder.decode(text, StandardCharsets.UTF_8).strip();
        } catch (IllegalArgumentException e) {
            return "";
        }
    }

    private boolean hasCookie(Headers headers) throws CloudMwException {
        for (String line : headers.getOrDefault("Cookie", List.of())) {
            for (String pair : line.split(";", -1)) {
                String stripped = pair.strip();
                if (stripped.startsWith(COOKIE + "=") && isLogin(stripped.substring(COOKIE.length() + 1))) {
                    return true;
                }
            }
        }
        return false;
    }

    private boolean isLogin(String cookie) throws CloudMwException {
        return (token.isPresent() && token.get().matchesCookie(cookie)) || logins.isLogin(cookie);
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
