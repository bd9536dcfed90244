/**
 * Checks what clients saw of a volume's names against the one order in which they changed. Pure; no threads.
 */
@NullMarked
package io.cloudmw.core.testing.consistency;

import org.jspecify.annotations.NullMarked;
