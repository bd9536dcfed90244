/**
 * How fast attempts should be, and how much redundancy a client may spend on those that are not. Classes are confined
 * to one thread unless their Javadoc says otherwise; none does I/O or reads a clock.
 */
@NullMarked
package io.cloudmw.core.hedge;

import org.jspecify.annotations.NullMarked;
