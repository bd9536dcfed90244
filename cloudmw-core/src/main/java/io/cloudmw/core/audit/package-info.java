/**
 * The audit trail of calls, as coordinators and helpers write it: refusals with their callers, and the settings of its
 * files. Safe for any thread; nothing blocks.
 */
@NullMarked
package io.cloudmw.core.audit;

import org.jspecify.annotations.NullMarked;
