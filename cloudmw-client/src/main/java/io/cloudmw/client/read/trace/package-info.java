/**
 * Observation of single reads, attempt by attempt: as a record for the coordinator, and as spans for OpenTelemetry. A
 * read that nobody observes costs nothing here.
 */
@NullMarked
package io.cloudmw.client.read.trace;

import org.jspecify.annotations.NullMarked;
