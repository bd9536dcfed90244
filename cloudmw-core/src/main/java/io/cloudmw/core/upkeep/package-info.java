/**
 * What is said about upkeep between processes: tasks, how they went, and how a cluster fares. Immutable values.
 */
@NullMarked
package io.cloudmw.core.upkeep;

import org.jspecify.annotations.NullMarked;
