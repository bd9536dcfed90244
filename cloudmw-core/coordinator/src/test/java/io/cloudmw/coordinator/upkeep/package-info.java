/** Tests of upkeep's decisions, in virtual time. */
@NullMarked
package io.cloudmw.coordinator.upkeep;

import org.jspecify.annotations.NullMarked;
