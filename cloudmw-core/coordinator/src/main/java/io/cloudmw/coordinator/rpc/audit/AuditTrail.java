package io.cloudmw.coordinator.rpc.audit;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.grant.Right;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.time.Ticker;
import io.cloudmw.core.tls.ProcessIdentity;
import java.net.InetAddress;
import java.util.EnumSet;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * The audit trail: one event for each administrative change, each refusal, and the first access of a subject to a path.
 * The events go to two loggers with their values as fields; the process gives each a file. So nobody's calls displace the
 * record of changes. Safe for any thread. An event of a change may wait for its logger; the others must not, because
 * event loops record them.
 */
public final class AuditTrail {
    /** The logger of changes, done or failed. Without a file of its own it is off. */
    public static final String CHANGES = "cloudmw.audit.changes";

    /** The logger of refusals and accesses. */
    public static final String CALLS = "cloudmw.audit.calls";

    /** The memory for accesses that were recorded; one that was forgotten is recorded again. */
    private static final long ACCESS_BYTES = 16 << 20;

    private static final int ACCESS_OVERHEAD_BYTES = 200;

    /** The most callers whose refusals are counted. */
    private static final int MAX_CALLERS = 10_000;

    private static final Logger CHANGE_LOG = LoggerFactory.getLogger(CHANGES);
    private static final Logger CALL_LOG = LoggerFactory.getLogger(CALLS);
    private static final int MAX_TEXT = 500;
    private static final Set<ErrorCode> REFUSALS =
            EnumSet.of(ErrorCode.PERMISSION_DENIED, ErrorCode.UNAUTHENTICATED, ErrorCode.TLS_FAILED);

    private final Ticker ticker;
    private final Cache<Access, Boolean> known = Caffeine.newBuilder()
            .maximumWeight(ACCESS_BYTES)
            .weigher((Access access, Boolean recorded) ->
                    ACCESS_OVERHEAD_BYTES + 2 * access.path().length())
            .build();
    private final Cache<Refused, LineAllowance> refusals =
            Caffeine.newBuilder().maximumSize(MAX_CALLERS).build();

    public AuditTrail(Ticker ticker) {
        this.ticker = ticker;
    }

    private record Access(String subject, Right right, VolumeName volume, String path) {}

    /** The refusals that share a limit: those of a subject, or of an address without a certificate. */
    private record Refused(String caller, ErrorCode code) {}

    /** Returns whether a failure is a refusal, which event loops record, too. */
    static boolean isRefusal(CloudMwException failure) {
        return REFUSALS.contains(failure.code());
    }

    /**
     * Records an administrative change, done or failed.
     *
     * @param request what was asked for, and the id of the attempt
     */
    void changed(String method, Caller caller, AuditedRequest request, Optional<CloudMwException> failure) {
        if (CHANGE_LOG.isInfoEnabled()) {
            LoggingEventBuilder event = event(CHANGE_LOG, "change", method, caller, request);
            (failure.isPresent() ? failed(event, failure.get()) : event).log(method);
        }
    }

    /** Records a refusal. A caller that is refused again and again gets one event in some seconds, with their number. */
    void refused(String method, Caller caller, AuditedRequest request, CloudMwException failure) {
        if (!CALL_LOG.isInfoEnabled()) {
            return;
        }
        OptionalLong leftOut = refusals.get(
                        new Refused(name(caller), failure.code()), key -> new LineAllowance(ticker.nanos()))
                .take(ticker.nanos());
        if (leftOut.isPresent()) {
            failed(event(CALL_LOG, "refusal", method, caller, request), failure)
                    .addKeyValue("left_out", leftOut.getAsLong())
                    .log(method);
        }
    }

    private static String name(Caller caller) {
        return caller.identity()
                .map(ProcessIdentity::describe)
                .orElseGet(() -> caller.host().map(InetAddress::getHostAddress).orElse(""));
    }

    /** Records an access of a client with a certificate to a path, unless its subject had it before. */
    public void accessed(String method, Caller caller, Right right, VolumeName volume, String path) {
        String subject = caller.identity().map(ProcessIdentity::id).orElse("");
        if (!CALL_LOG.isInfoEnabled()
                || known.asMap().putIfAbsent(new Access(subject, right, volume, path), true) != null) {
            return;
        }
        of(CALL_LOG, "access", method, caller)
                .addKeyValue("right", right.word())
                .addKeyValue("volume", volume.value())
                .addKeyValue("path", LogText.plain(path, MAX_TEXT))
                .log(method);
    }

    private static LoggingEventBuilder event(
            Logger log, String kind, String method, Caller caller, AuditedRequest request) {
        return of(log, kind, method, caller)
                .addKeyValue("request", request.id())
                .addKeyValue("asked", request.text());
    }

    private static LoggingEventBuilder of(Logger log, String kind, String method, Caller caller) {
        Optional<ProcessIdentity> identity = caller.identity();
        return log.atInfo()
                .addKeyValue("event", kind)
                .addKeyValue("method", method)
                .addKeyValue("subject", identity.map(ProcessIdentity::id).orElse(""))
                .addKeyValue("role", identity.map(known -> known.role().word()).orElse(""))
                .addKeyValue("token", identity.flatMap(ProcessIdentity::token).orElse(""))
                .addKeyValue("address", caller.place())
                .addKeyValue("client", caller.client());
    }

    private static LoggingEventBuilder failed(LoggingEventBuilder event, CloudMwException failure) {
        return event.addKeyValue("code", failure.code().name())
                .addKeyValue("why", LogText.plain(String.valueOf(failure.getMessage()), MAX_TEXT));
    }
}
