/**
 * Upkeep at a helper: it takes tasks from the coordinator, runs them on its fetch threads, and reports their results. Tasks
 * are confined to their threads; the worker is safe for any thread.
 */
@NullMarked
package io.cloudmw.helper.upkeep;

import org.jspecify.annotations.NullMarked;
