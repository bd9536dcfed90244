/**
 * The expected speed of attempts, and the redundancy that a client may spend on late ones. Classes are confined to one
 * thread unless their Javadoc says otherwise; none does I/O or reads a clock.
 */
@NullMarked
package io.cloudmw.core.hedge;

import org.jspecify.annotations.NullMarked;
