/** The registry of clients that serve others, and the search for the holders of a file. Safe for any thread. */
@NullMarked
package io.cloudmw.coordinator.peer;

import org.jspecify.annotations.NullMarked;
