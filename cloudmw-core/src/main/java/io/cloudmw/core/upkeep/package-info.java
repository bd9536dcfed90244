/** Messages about upkeep between the coordinator and helpers: tasks and their results. Immutable values. */
@NullMarked
package io.cloudmw.core.upkeep;

import org.jspecify.annotations.NullMarked;
