package io.cloudmw.coordinator.rpc.audit;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.google.protobuf.Message;
import io.cloudmw.core.audit.AuditText;
import io.cloudmw.core.audit.RefusalTrail;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.grant.Right;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.time.Ticker;
import io.cloudmw.core.tls.Certificates;
import io.cloudmw.core.tls.ProcessIdentity;
import io.cloudmw.core.tls.ProcessRole;
import java.security.cert.X509Certificate;
import java.util.Optional;
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

    /** The memory for accesses that were recorded; one that was forgotten is recorded again. */
    private static final long ACCESS_BYTES = 16 << 20;

    private static final int ACCESS_OVERHEAD_BYTES = 200;

    private static final Logger CHANGE_LOG = LoggerFactory.getLogger(CHANGES);
    private static final Logger CALL_LOG = LoggerFactory.getLogger(RefusalTrail.CALLS);
    private static final int MAX_TEXT = 500;

    private final RefusalTrail refusals;
    private final Cache<Access, Boolean> known = Caffeine.newBuilder()
            .maximumWeight(ACCESS_BYTES)
            .weigher((Access access, Boolean recorded) ->
                    ACCESS_OVERHEAD_BYTES + 2 * access.path().length())
            .build();

    public AuditTrail(Ticker ticker) {
        this.refusals = new RefusalTrail(ticker);
    }

    private record Access(String subject, Right right, VolumeName volume, String path) {}

    /**
     * Records an administrative change, done or failed.
     *
     * @param request what was asked for, and the id of the attempt
     */
    void changed(String method, Caller caller, AuditedRequest request, Optional<CloudMwException> failure) {
        if (CHANGE_LOG.isInfoEnabled()) {
            LoggingEventBuilder event = event(CHANGE_LOG, "change", method, caller, request);
            (failure.isPresent() ? RefusalTrail.failed(event, failure.get()) : event).log(method);
        }
    }

    /** Records a refusal, unless the caller is refused too often. */
    void refused(String method, Caller caller, AuditedRequest request, CloudMwException failure) {
        refusals.refused(method, caller.peer(), request.id(), request.text(), failure);
    }

    /**
     * Records that the authority signed a certificate. Those of helpers are changes of the cluster. Those of clients, of
     * which there may be many, are among the calls.
     *
     * @param request of the call, whose id the event has if there is one
     */
    public void certified(String method, Caller caller, Message request, X509Certificate certificate) {
        Optional<ProcessIdentity> identity = Certificates.identity(certificate);
        boolean isClient = identity.isPresent() && identity.get().role() == ProcessRole.CLIENT;
        LoggingEventBuilder event =
                RefusalTrail.event(isClient ? CALL_LOG : CHANGE_LOG, "change", method, caller.peer());
        withId(event, request)
                .addKeyValue("certified", identity.map(ProcessIdentity::uri).orElse(""))
                .addKeyValue("serial", certificate.getSerialNumber().toString(16))
                .addKeyValue("fingerprint", Certificates.fingerprint(certificate))
                .addKeyValue("from", certificate.getNotBefore().toInstant().toString())
                .addKeyValue("until", certificate.getNotAfter().toInstant().toString())
                .log(method);
    }

    /** The part for refusals alone. */
    public RefusalTrail refusals() {
        return refusals;
    }

    /**
     * Records an access of a client with a certificate to a path, unless its subject had it before.
     *
     * @param request of the call, whose id the event has if there is one
     */
    public void accessed(String method, Caller caller, Message request, Right right, VolumeName volume, String path) {
        String subject = caller.identity().map(ProcessIdentity::id).orElse("");
        if (!CALL_LOG.isInfoEnabled()
                || known.asMap().putIfAbsent(new Access(subject, right, volume, path), true) != null) {
            return;
        }
        LoggingEventBuilder event = RefusalTrail.event(CALL_LOG, "access", method, caller.peer());
        withId(event, request)
                .addKeyValue("right", right.word())
                .addKeyValue("volume", volume.value())
                .addKeyValue("path", AuditText.plain(path, MAX_TEXT))
                .log(method);
    }

    private static LoggingEventBuilder withId(LoggingEventBuilder event, Message request) {
        String id = AuditedRequest.idOf(request);
        return id.isEmpty() ? event : event.addKeyValue("request", id);
    }

    private static LoggingEventBuilder event(
            Logger log, String kind, String method, Caller caller, AuditedRequest request) {
        return RefusalTrail.event(log, kind, method, caller.peer())
                .addKeyValue("request", request.id())
                .addKeyValue("asked", request.text());
    }
}
