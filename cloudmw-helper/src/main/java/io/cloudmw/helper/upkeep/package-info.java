/**
 * What this helper does for upkeep: it asks the coordinator for tasks, does them on threads of their own, and reports how
 * they went.
 */
@NullMarked
package io.cloudmw.helper.upkeep;

import org.jspecify.annotations.NullMarked;
