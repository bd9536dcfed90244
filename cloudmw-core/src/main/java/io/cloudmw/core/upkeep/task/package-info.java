/**
 * What is said about upkeep between processes: tasks, how they went, and how a cluster fares. Immutable values.
 */
@NullMarked
package io.cloudmw.core.upkeep.task;

import org.jspecify.annotations.NullMarked;
