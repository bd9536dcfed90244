/**
 * The read modes as policy values: the cutting of a file, the racers that read it, and the patience of the
 * destination. Immutable.
 */
@NullMarked
package io.cloudmw.core.mode;

import org.jspecify.annotations.NullMarked;
