/**
 * Records of single reads, attempt by attempt, for people who want to see how helpers and stores competed. Values;
 * immutable.
 */
@NullMarked
package io.cloudmw.core.recording;

import org.jspecify.annotations.NullMarked;
