package io.cloudmw.core.security;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.time.WallClock;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HexFormat;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The proofs that a process knows the cluster's secret: the time, and the HMAC-SHA256 of it and of the request. An
 * overheard proof is good for the same request until it is {@link #VALIDITY} old. The clocks of a cluster must agree
 * within that. Safe for any thread.
 */
public final class MemberProofs {
    /** The most that a proof may be old, or ahead. */
    public static final Duration VALIDITY = Duration.ofMinutes(5);

    private static final Pattern FORM = Pattern.compile("(\\d{1,15})-([0-9a-f]{64})");

    private final ClusterSecret secret;
    private final WallClock clock;

    public MemberProofs(ClusterSecret secret, WallClock clock) {
        this.secret = secret;
        this.clock = clock;
    }

    /** A proof for this request, now: printable ASCII. */
    public String prove(String request) {
        long now = clock.millis();
        byte[] message = message(request, now);
        return now + "-" + HexFormat.of().formatHex(secret.sign(message, message.length));
    }

    /**
     * Checks that the sender of {@code request} knows the secret.
     *
     * @param proof as received; null when there was none
     * @throws CloudMwException {@code UNAUTHENTICATED} when it does not, or when the clocks differ by too much
     */
    public void verify(String request, @Nullable String proof) throws CloudMwException {
        Matcher parts = FORM.matcher(proof == null ? "" : proof);
        if (!parts.matches()) {
            throw refusal("without a proof that it knows the cluster's secret");
        }
        long at = Long.parseLong(parts.group(1));
        byte[] message = message(request, at);
        if (!secret.verifies(message, message.length, HexFormat.of().parseHex(parts.group(2)))) {
            throw refusal("with another cluster secret: give all processes the same cluster.secret-file");
        }
        long late = clock.millis() - at;
        if (Math.abs(late) > VALIDITY.toMillis()) {
            throw refusal("with a clock " + Math.abs(late) / 1000 + " s " + (late > 0 ? "behind" : "ahead")
                    + " (expected: <= " + VALIDITY.toSeconds() + " s)");
        }
    }

    private static CloudMwException refusal(String how) {
        return new CloudMwException(ErrorCode.UNAUTHENTICATED, "the helper came " + how);
    }

    /** The signed bytes. Tokens sign binary data that begins with a format, so no token is a proof. */
    private static byte[] message(String request, long atMillis) {
        return ("member " + atMillis + " " + request).getBytes(StandardCharsets.UTF_8);
    }
}
