package io.cloudmw.client.read.trace;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.mode.IssueReason;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.Mode;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.time.WallClock;
import io.cloudmw.core.trace.Traces;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import java.time.Instant;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/**
 * The spans of one read: the read, its chunks, their attempts. An attempt that won no bytes, as a cancelled one, has a
 * link to the attempt that brought them. Confined to the transfer.
 */
final class ReadSpans implements AttemptListener {
    private final Tracer tracer;
    private final Instant began;
    private final Span read;
    private final Map<Long, Span> chunks = new HashMap<>();
    private Mode mode = Mode.COOPERATIVE;
    private long wasted;

    /**
     * Begins the read's span.
     *
     * @param parent the context of the caller
     */
    ReadSpans(Tracer tracer, Context parent, FilePath file) {
        this.tracer = tracer;
        began = Instant.ofEpochMilli(WallClock.system().millis());
        read = tracer.spanBuilder(Traces.READ)
                .setParent(parent)
                .setStartTimestamp(began)
                .setAttribute(Traces.VOLUME, file.volume().value())
                .setAttribute(Traces.PATH, file.path())
                .startSpan();
    }

    /** Returns whether an SDK records the read. */
    boolean isRecording() {
        return read.isRecording();
    }

    void planned(VersionId version, Mode planned) {
        mode = planned;
        read.setAttribute(Traces.VERSION, version.value());
        read.setAttribute(Traces.MODE, lowerCase(planned));
    }

    private static String lowerCase(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }

    @Override
    public void opened(TimedAttempt attempt) {
        Span chunk = chunks.computeIfAbsent(
                attempt.chunk(),
                index -> child(read, Traces.CHUNK, attempt.issuedNanos())
                        .setAttribute(Traces.CHUNK_INDEX, index)
                        .startSpan());
        IssueReason reason = attempt.reason();
        attempt.spannedBy(child(chunk, Traces.ATTEMPT, attempt.issuedNanos())
                .setAttribute(Traces.CHUNK_INDEX, attempt.chunk())
                .setAttribute(Traces.BLOCK, (long) attempt.identity().block())
                .setAttribute(Traces.OFFSET, attempt.range().offset())
                .setAttribute(Traces.RACER, attempt.identity().racer())
                .setAttribute(Traces.MODE, lowerCase(mode))
                .setAttribute(Traces.REASON, lowerCase(reason))
                .setAttribute(Traces.HEDGE, reason == IssueReason.HEDGE || reason == IssueReason.HAND_OVER)
                .startSpan());
    }

    private SpanBuilder child(Span parent, String name, long nanos) {
        return tracer.spanBuilder(name).setParent(Context.root().with(parent)).setStartTimestamp(at(nanos));
    }

    private Instant at(long nanos) {
        return began.plusNanos(nanos);
    }

    @Override
    public void changed(TimedAttempt attempt) {}

    @Override
    public void settled(TimedAttempt attempt) {
        Span span = attempt.span();
        if (attempt.beganNanos() >= 0) {
            span.addEvent(Traces.BEGAN, at(attempt.beganNanos()));
        }
        long unused = Math.max(0, attempt.fetchedBytes() - attempt.wonBytes());
        wasted += unused;
        span.setAttribute(Traces.STORE, attempt.store().value());
        span.setAttribute(Traces.LENGTH, attempt.range().length());
        span.setAttribute(Traces.STATE, lowerCase(attempt.state()));
        span.setAttribute(Traces.BYTES, attempt.fetchedBytes());
        span.setAttribute(Traces.WASTED, unused);
        span.setAttribute(Traces.WINNER, attempt.wonBytes() > 0);
        attempt.winner().ifPresent(winner -> span.addLink(winner.span().getSpanContext()));
        attempt.error().ifPresent(code -> {
            span.setAttribute(Traces.ERROR, code.name());
            span.setStatus(StatusCode.ERROR);
        });
        span.end(at(attempt.endedNanos()));
    }

    void chunkDone(long chunk, long nanos) {
        Span span = chunks.remove(chunk);
        if (span != null) {
            span.end(at(nanos));
        }
    }

    void delivered(long bytes, long nanos) {
        read.setAttribute(Traces.BYTES, bytes);
        end(nanos);
    }

    void failed(CloudMwException cause, long nanos) {
        read.setAttribute(Traces.ERROR, cause.code().name());
        read.setStatus(StatusCode.ERROR, String.valueOf(cause.getMessage()));
        end(nanos);
    }

    private void end(long nanos) {
        chunks.values().forEach(chunk -> chunk.end(at(nanos)));
        chunks.clear();
        read.setAttribute(Traces.WASTED, wasted);
        read.end(at(nanos));
    }
}
