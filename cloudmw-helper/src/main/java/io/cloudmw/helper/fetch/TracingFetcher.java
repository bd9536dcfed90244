package io.cloudmw.helper.fetch;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.trace.TraceParent;
import io.cloudmw.core.trace.Traces;
import io.cloudmw.helper.block.FetchedBlock;
import io.cloudmw.helper.block.WantedBlock;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import java.util.Optional;

/**
 * A fetcher that makes a span of each traced attempt, from its start until the block is here. The switches that it asks
 * get that span as the parent of theirs. Attempts that are not traced cost nothing.
 */
public final class TracingFetcher implements BlockFetcher {
    private final BlockFetcher fetcher;
    private final HelperId helper;
    private final Tracer tracer;

    /** @param helper the helper that fetches */
    public TracingFetcher(BlockFetcher fetcher, HelperId helper, Tracer tracer) {
        this.fetcher = fetcher;
        this.helper = helper;
        this.tracer = tracer;
    }

    @Override
    public BlockAttempt start(Requester requester, WantedBlock block, StoreId store, BlockAttempt.Listener listener)
            throws CloudMwException {
        Optional<TraceParent> parent = block.trace();
        if (parent.isEmpty()) {
            return fetcher.start(requester, block, store, listener);
        }
        Span span = tracer.spanBuilder(Traces.FETCH)
                .setParent(parent.get().context())
                .setSpanKind(SpanKind.SERVER)
                .setAttribute(Traces.HELPER, helper.value())
                .setAttribute(Traces.STORE, store.value())
                .setAttribute(Traces.CHUNK_ID, block.leaves().chunk().toString())
                .setAttribute(Traces.OFFSET, block.race().range().offset())
                .setAttribute(Traces.LENGTH, block.length())
                .startSpan();
        try {
            return fetcher.start(
                    requester, block.tracedAs(TraceParent.of(span)), store, new TracedListener(listener, span));
        } catch (CloudMwException e) {
            failed(span, e);
            throw e;
        }
    }

    private static void failed(Span span, CloudMwException cause) {
        span.setAttribute(Traces.ERROR, cause.code().name());
        span.setStatus(StatusCode.ERROR, String.valueOf(cause.getMessage()));
        span.end();
    }

    @Override
    public boolean keeps(WantedBlock block) {
        return fetcher.keeps(block);
    }

    @Override
    public void doubt(WantedBlock block) {
        fetcher.doubt(block);
    }

    /** A listener that ends the span with the attempt. */
    private record TracedListener(BlockAttempt.Listener listener, Span span) implements BlockAttempt.Listener {
        @Override
        public boolean turnCame() {
            return listener.turnCame();
        }

        @Override
        public void began(FetchedBlock growing) {
            span.addEvent(Traces.BEGAN);
            listener.began(growing);
        }

        @Override
        public void progressed(long bytes) {
            listener.progressed(bytes);
        }

        @Override
        public void finished(FetchedBlock fetched) {
            span.setAttribute(Traces.BYTES, fetched.availableBytes());
            span.setAttribute(Traces.STATE, "finished");
            span.end();
            listener.finished(fetched);
        }

        @Override
        public void failed(CloudMwException cause, long bytes) {
            end(cause, bytes);
            listener.failed(cause, bytes);
        }

        @Override
        public void noRoom(CloudMwException cause, long bytes) {
            end(cause, bytes);
            listener.noRoom(cause, bytes);
        }

        private void end(CloudMwException cause, long bytes) {
            span.setAttribute(Traces.BYTES, bytes);
            span.setAttribute(Traces.STATE, "failed");
            TracingFetcher.failed(span, cause);
        }

        @Override
        public void cancelled(long bytes) {
            span.setAttribute(Traces.BYTES, bytes);
            span.setAttribute(Traces.STATE, "cancelled");
            span.end();
            listener.cancelled(bytes);
        }
    }
}
