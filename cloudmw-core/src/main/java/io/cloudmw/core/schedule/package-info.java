/**
 * The order of service: fair shares among clients, classes, deadlines, caps and bounded queues. {@link
 * io.cloudmw.core.schedule.FairScheduler} decides, without I/O, threads or a clock of its own. {@link
 * io.cloudmw.core.schedule.FairPool} runs the work on threads, and is the only class here that any thread may call.
 */
@NullMarked
package io.cloudmw.core.schedule;

import org.jspecify.annotations.NullMarked;
