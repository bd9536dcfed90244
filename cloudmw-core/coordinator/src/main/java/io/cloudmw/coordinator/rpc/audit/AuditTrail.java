package io.cloudmw.coordinator.rpc.audit;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.grant.Right;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.tls.ProcessIdentity;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * The audit trail: one event for each administrative change, each refusal, and the first access of a subject to a path.
 * The events go to the logger {@value #LOGGER} with their values as fields; the process gives that logger a file. Safe
 * for any thread; an event waits while the logger does.
 */
public final class AuditTrail {
    /** The logger of the events. Without a file of its own it is off. */
    public static final String LOGGER = "cloudmw.audit";

    /** The most accesses that are remembered; one that was forgotten is recorded again. */
    static final int MAX_ACCESSES = 100_000;

    private static final Logger LOG = LoggerFactory.getLogger(LOGGER);
    private static final int MAX_TEXT = 500;
    private static final Set<ErrorCode> REFUSALS =
            EnumSet.of(ErrorCode.PERMISSION_DENIED, ErrorCode.UNAUTHENTICATED, ErrorCode.TLS_FAILED);

    private final Cache<Access, Boolean> known =
            Caffeine.newBuilder().maximumSize(MAX_ACCESSES).build();

    private record Access(String subject, Right right, VolumeName volume, String path) {}

    /** Returns whether a failure is one that the trail records. */
    static boolean isRefusal(CloudMwException failure) {
        return REFUSALS.contains(failure.code());
    }

    /**
     * Records an administrative change, done or refused.
     *
     * @param request what was asked for, and the id of the attempt
     */
    void changed(String method, Caller caller, AuditedRequest request, Optional<CloudMwException> failure) {
        if (LOG.isInfoEnabled()) {
            LoggingEventBuilder event = event("change", method, caller, request);
            (failure.isPresent() ? failed(event, failure.get()) : event).log(method);
        }
    }

    /** Records the refusal of a call that is not an administrative change. */
    void refused(String method, Caller caller, AuditedRequest request, CloudMwException failure) {
        if (LOG.isInfoEnabled()) {
            LoggingEventBuilder event = event("refusal", method, caller, request);
            failed(event, failure).log(method);
        }
    }

    /** Records an access to a path, unless the subject had it before. */
    public void accessed(String method, ProcessIdentity subject, Right right, VolumeName volume, String path) {
        if (!LOG.isInfoEnabled()
                || known.asMap().putIfAbsent(new Access(subject.id(), right, volume, path), true) != null) {
            return;
        }
        LOG.atInfo()
                .addKeyValue("event", "access")
                .addKeyValue("method", method)
                .addKeyValue("subject", subject.id())
                .addKeyValue("token", subject.token().orElse(""))
                .addKeyValue("right", right.word())
                .addKeyValue("volume", volume.value())
                .addKeyValue("path", LogText.plain(path, MAX_TEXT))
                .log(method);
    }

    private static LoggingEventBuilder event(String kind, String method, Caller caller, AuditedRequest request) {
        return LOG.atInfo()
                .addKeyValue("event", kind)
                .addKeyValue("method", method)
                .addKeyValue("request", request.id())
                .addKeyValue("asked", request.text())
                .addKeyValue(
                        "role",
                        caller.identity().map(known -> known.role().name()).orElse(""))
                .addKeyValue(
                        "subject", caller.identity().map(ProcessIdentity::id).orElse(""))
                .addKeyValue(
                        "token",
                        caller.identity().flatMap(ProcessIdentity::token).orElse(""))
                .addKeyValue("address", caller.place())
                .addKeyValue("client", caller.client());
    }

    private static LoggingEventBuilder failed(LoggingEventBuilder event, CloudMwException failure) {
        return event.addKeyValue("code", failure.code().name())
                .addKeyValue("why", LogText.plain(String.valueOf(failure.getMessage()), MAX_TEXT));
    }
}
