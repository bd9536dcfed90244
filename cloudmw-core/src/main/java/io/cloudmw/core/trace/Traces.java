package io.cloudmw.core.trace;

import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Tracer;

/** The names of spans and of their attributes. {@code docs/traces.md} describes them. */
public final class Traces {
    /** A read of a client, from the call to its end. */
    public static final String READ = "cloudmw.read";

    /** A chunk of a read, from the first issue of one of its blocks to its last byte. */
    public static final String CHUNK = "cloudmw.chunk";

    /** An attempt of one racer at one block, from its issue to its end, as the client sees it. */
    public static final String ATTEMPT = "cloudmw.attempt";

    /** The fetch of a block in a helper or a switch. */
    public static final String FETCH = "cloudmw.fetch";

    public static final AttributeKey<String> VOLUME = AttributeKey.stringKey("cloudmw.volume");
    public static final AttributeKey<String> PATH = AttributeKey.stringKey("cloudmw.path");
    public static final AttributeKey<String> VERSION = AttributeKey.stringKey("cloudmw.version");
    public static final AttributeKey<String> MODE = AttributeKey.stringKey("cloudmw.mode");
    public static final AttributeKey<Long> CHUNK_INDEX = AttributeKey.longKey("cloudmw.chunk.index");
    public static final AttributeKey<String> CHUNK_ID = AttributeKey.stringKey("cloudmw.chunk.id");
    public static final AttributeKey<Long> BLOCK = AttributeKey.longKey("cloudmw.block");
    public static final AttributeKey<Long> OFFSET = AttributeKey.longKey("cloudmw.block.offset");
    public static final AttributeKey<Long> LENGTH = AttributeKey.longKey("cloudmw.block.length");
    public static final AttributeKey<String> RACER = AttributeKey.stringKey("cloudmw.racer");
    public static final AttributeKey<String> HELPER = AttributeKey.stringKey("cloudmw.helper");
    public static final AttributeKey<String> STORE = AttributeKey.stringKey("cloudmw.store");
    public static final AttributeKey<String> REASON = AttributeKey.stringKey("cloudmw.reason");
    public static final AttributeKey<Boolean> HEDGE = AttributeKey.booleanKey("cloudmw.hedge");
    public static final AttributeKey<Boolean> WINNER = AttributeKey.booleanKey("cloudmw.winner");
    public static final AttributeKey<String> STATE = AttributeKey.stringKey("cloudmw.state");
    public static final AttributeKey<Long> BYTES = AttributeKey.longKey("cloudmw.bytes");
    public static final AttributeKey<Long> WASTED = AttributeKey.longKey("cloudmw.bytes.wasted");
    public static final AttributeKey<String> ERROR = AttributeKey.stringKey("cloudmw.error");

    /** The event of a span when the store was asked. */
    public static final String BEGAN = "began";

    private static final String SCOPE = "io.cloudmw";

    private Traces() {}

    /** The tracer of this process. */
    public static Tracer tracer(OpenTelemetry telemetry) {
        return telemetry.getTracer(SCOPE);
    }
}
