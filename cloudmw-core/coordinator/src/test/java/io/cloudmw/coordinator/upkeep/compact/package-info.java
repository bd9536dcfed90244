@NullMarked
package io.cloudmw.coordinator.upkeep.compact;

import org.jspecify.annotations.NullMarked;
