/** Tests of walks over the chunks of versions. Confined to one thread. */
@NullMarked
package io.cloudmw.coordinator.upkeep.walk;

import org.jspecify.annotations.NullMarked;
