package io.cloudmw.core.audit;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.time.Ticker;
import io.cloudmw.core.tls.ProcessIdentity;
import java.util.EnumSet;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * The trail of refusals: an event for each call, request or handshake that was refused because of the caller's identity
 * or rights. A caller that is
 * refused again and again gets one event in some seconds, with their number. Safe for any thread; never blocks, because
 * event loops record refusals.
 */
public final class RefusalTrail {
    /** The logger of refusals and accesses. Without a file of its own it is off. */
    public static final String CALLS = "cloudmw.audit.calls";

    /** The method of a handshake that failed. */
    public static final String HANDSHAKE = "handshake";

    /** The most callers whose refusals are counted. */
    private static final int MAX_CALLERS = 10_000;

    private static final Logger LOG = LoggerFactory.getLogger(CALLS);
    private static final int MAX_TEXT = 500;
    private static final Set<ErrorCode> REFUSALS =
            EnumSet.of(ErrorCode.PERMISSION_DENIED, ErrorCode.UNAUTHENTICATED, ErrorCode.TLS_FAILED);

    private final Ticker ticker;
    private final Cache<Refused, LineAllowance> refusals =
            Caffeine.newBuilder().maximumSize(MAX_CALLERS).build();

    public RefusalTrail(Ticker ticker) {
        this.ticker = ticker;
    }

    /** The refusals that share a limit. */
    private record Refused(String caller, ErrorCode code) {}

    /** Returns whether a failure is a refusal of who asked. */
    public static boolean isRefusal(CloudMwException failure) {
        return REFUSALS.contains(failure.code());
    }

    /** Records a handshake that failed. */
    public void handshakeFailed(AuditedPeer peer, CloudMwException failure) {
        refused(HANDSHAKE, peer, UUID.randomUUID().toString(), "", failure);
    }

    /**
     * Records a refusal.
     *
     * @param request the id of the attempt
     * @param asked the request's fields, without secrets; empty: not known
     */
    public void refused(String method, AuditedPeer peer, String request, String asked, CloudMwException failure) {
        if (!LOG.isInfoEnabled()) {
            return;
        }
        OptionalLong leftOut = refusals.get(
                        new Refused(peer.name(), failure.code()), key -> new LineAllowance(ticker.nanos()))
                .take(ticker.nanos());
        if (leftOut.isPresent()) {
            failed(event(LOG, "refusal", method, peer), failure)
                    .addKeyValue("request", request)
                    .addKeyValue("asked", asked)
                    .addKeyValue("left_out", leftOut.getAsLong())
                    .log(method);
        }
    }

    /** An event of the audit trail with the fields that all have. */
    public static LoggingEventBuilder event(Logger log, String kind, String method, AuditedPeer peer) {
        Optional<ProcessIdentity> identity = peer.identity();
        return log.atInfo()
                .addKeyValue("event", kind)
                .addKeyValue("method", method)
                .addKeyValue("subject", identity.map(ProcessIdentity::id).orElse(""))
                .addKeyValue("role", identity.map(known -> known.role().word()).orElse(""))
                .addKeyValue("token", identity.flatMap(ProcessIdentity::token).orElse(""))
                .addKeyValue("address", peer.place())
                .addKeyValue("client", peer.client());
    }

    /** The event with the fields of a failure. */
    public static LoggingEventBuilder failed(LoggingEventBuilder event, CloudMwException failure) {
        return event.addKeyValue("code", failure.code().name())
                .addKeyValue("why", AuditText.plain(String.valueOf(failure.getMessage()), MAX_TEXT));
    }
}
