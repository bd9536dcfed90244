/**
 * Traces: the names of spans and their attributes, and the way in which a span's identity travels to other processes.
 * Processes report spans to the OpenTelemetry API; whether they are recorded is up to the SDK behind it, if any.
 */
@NullMarked
package io.cloudmw.core.trace;

import org.jspecify.annotations.NullMarked;
