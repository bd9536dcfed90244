/**
 * The read modes as policy values: how a file is cut, which racers read it, and when the destination stops waiting.
 * Immutable.
 */
@NullMarked
package io.cloudmw.core.mode;

import org.jspecify.annotations.NullMarked;
