/**
 * The queue of tasks that helpers take, and the rules that decide which helper can do which task. The queue is safe
 * for any thread.
 */
@NullMarked
package io.cloudmw.coordinator.upkeep.task;

import org.jspecify.annotations.NullMarked;
