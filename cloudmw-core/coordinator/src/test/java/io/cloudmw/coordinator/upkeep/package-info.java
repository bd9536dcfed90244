/** Tests of upkeep, in virtual time. */
@NullMarked
package io.cloudmw.coordinator.upkeep;

import org.jspecify.annotations.NullMarked;
