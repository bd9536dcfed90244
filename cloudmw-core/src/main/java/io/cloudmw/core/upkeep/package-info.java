/** Messages about upkeep between processes: tasks, their results, and the state of a cluster. Immutable values. */
@NullMarked
package io.cloudmw.core.upkeep;

import org.jspecify.annotations.NullMarked;
